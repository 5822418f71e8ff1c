// The keys of stored values (docs/reference/storage-layout.md, "Keys"). The format is permanent: existing stores
// contain such keys.
//
// A key is parts joined by '.'. The first part names the kind of value. The others are numbers in decimal, without
// leading zeros, or identifiers in this encoding:
// - a byte of [a-z0-9_-] stands for itself, any other one (upper case, '.', '=', every byte of é) is =XX, in capitals;
// - the empty identifier is a lone '=';
// - an identifier whose encoding is over max_encoded_part bytes is "=h" and the 32 lower-case hexadecimal digits of
//   the 16-byte BLAKE2b of its own bytes. No encoding begins like that, since h is no hexadecimal digit.
// Properties: each identifier has one key, and two identifiers have two. The kind and the numbers stay readable, and a
// scan by prefix finds hashed identifiers too. No key is over 200 bytes. Keys differ on file systems that ignore case.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

inline constexpr std::size_t max_encoded_part = 160;

// The keys of single values.
inline constexpr std::string_view format_key = "format";
inline constexpr std::string_view configuration_key = "configuration";
inline constexpr std::string_view grants_key = "droits";
inline constexpr std::string_view stored_key_set_key = "config.jwks";
inline constexpr std::string_view import_lock_key = "config.import-lock";  // core/management/stored_import_lock.hpp
inline constexpr std::string_view audit_state_key = "config.audit";        // core/audit/audit_state.hpp
// A hash of its source follows (core/webassembly/fetched_keys.cpp).
inline constexpr std::string_view fetched_key_set_prefix = "config.fetched-jwks.";

// The prefix of all keys of a kind, for scans.
inline constexpr std::string_view catalogue_prefix = "catalogue.";
inline constexpr std::string_view template_prefix = "modele.";
inline constexpr std::string_view template_deposit_prefix = "depot.";
inline constexpr std::string_view bundle_prefix = "liasse.";
inline constexpr std::string_view third_party_prefix = "tiers.";
inline constexpr std::string_view user_index_prefix = "utilisateur.";
inline constexpr std::string_view manager_index_prefix = "gestionnaire.";
inline constexpr std::string_view consultation_prefix = "consultation.";
inline constexpr std::string_view audit_prefix = "audit.";  // core/storage/audit_name.hpp
inline constexpr std::string_view config_prefix = "config.";

// Returns whether the key is none of the portal's data, or reading changes it: what a person has seen, the audit, key
// sets and locks. Such keys have no revision (core/storage/folder/revision.hpp): each read reads their current value.
bool is_volatile_key(std::string_view key);

// Identifiers (`id`, `number`, `sub`) are the raw bytes, of any length. Data that is too large for one value has
// several, numbered by `part`.
std::string catalogue_key(std::uint32_t part);
std::string template_key(std::uint64_t object_id, std::uint32_t part);
// The file that was sent for the next import (core/management/endpoints.hpp).
std::string template_deposit_key(std::uint64_t object_id, std::uint32_t part);
// Of an entity that is stored under its identifier.
std::string entity_key(std::string_view prefix, std::string_view id);
inline std::string bundle_key(std::string_view id) { return entity_key(bundle_prefix, id); }
inline std::string third_party_key(std::string_view number) { return entity_key(third_party_prefix, number); }
// Of a list that belongs to a person.
std::string person_key(std::string_view prefix, std::string_view sub, std::uint32_t part);
inline std::string consultation_key(std::string_view sub, std::uint32_t part) {
  return person_key(consultation_prefix, sub, part);
}

}  // namespace portail
