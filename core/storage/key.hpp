// How keys are spelt (docs/reference/storage-layout.md, "Keys"). Permanent: what is written here is in people's stores.
//
// A key is parts joined by '.'. The first part names the kind of value; the others are numbers in decimal, without
// leading zeros, or identifiers encoded so:
// - a byte of [a-z0-9_-] stands for itself, any other one (upper case, '.', '=', every byte of é) is =XX, in capitals;
// - the empty identifier is a lone '=';
// - an identifier whose encoding is over longest_encoded_part bytes is "=h" and the 32 lower-case hexadecimal digits of
//   the 16-byte BLAKE2b of its own bytes. No encoding begins like that, since h is no hexadecimal digit.
// So each identifier has one key, two identifiers have two, the kind and the numbers always stay readable, a scan by
// prefix finds hashed ones too, no key is over 200 bytes, and keys differ even where a file system ignores case.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

inline constexpr std::size_t longest_encoded_part = 160;

// The values there is one of.
inline constexpr std::string_view format_key = "format";
inline constexpr std::string_view configuration_key = "configuration";
inline constexpr std::string_view grants_key = "droits";
inline constexpr std::string_view stored_key_set_key = "config.jwks";

// What a scan of one kind begins with.
inline constexpr std::string_view catalogue_prefix = "catalogue.";
inline constexpr std::string_view template_prefix = "modele.";
inline constexpr std::string_view bundle_prefix = "liasse.";
inline constexpr std::string_view third_party_prefix = "tiers.";
inline constexpr std::string_view user_index_prefix = "utilisateur.";
inline constexpr std::string_view manager_index_prefix = "gestionnaire.";
inline constexpr std::string_view consultation_prefix = "consultation.";
inline constexpr std::string_view audit_prefix = "audit.";  // core/storage/audit_name.hpp

// Identifiers (`id`, `number`, `sub`) are the raw bytes, of any length; `part` numbers the pieces of what is too large
// for one value.
std::string catalogue_key(std::uint32_t part);
std::string template_key(std::uint64_t object_id, std::uint32_t part);
std::string bundle_key(std::string_view id);
std::string third_party_key(std::string_view number);
std::string user_index_key(std::string_view sub, std::uint32_t part);
std::string manager_index_key(std::string_view sub, std::uint32_t part);
std::string consultation_key(std::string_view sub, std::uint32_t part);

}  // namespace portail
