// The hash of an audit record, by which the next record of its chain names it (docs/reference/storage-layout.md,
// "Audit"). It covers the key and every byte of the record except the salt. Personal strings enter as commitments, so
// that one can be erased and the hash stays the same. Records are texts as JsonWriter writes them. Pure functions; any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/crypto/hash.hpp"

namespace portail {

// Returns the hash; nullopt if the record has no salt: an earlier version of the program wrote it, or it is no record.
//
//   SHA-256(key LF text), where the text is the record, without the value of "salt", and with each personal string, in
//   its quotes, replaced by its commitment. Personal strings are the values of "subject", "utilisateur" and "query".
//   commitment = hex(HMAC-SHA-256(string salt, the JSON string with its quotes))
//   string salt = hex(HMAC-SHA-256(salt, N)), where N is the string's decimal position in the record, from 0
//
// After an erasure "salt" is a list with an element for each personal string: its salt, or "=" and its commitment if
// the string was erased.
[[nodiscard]] std::optional<Hash32> audit_record_hash(std::string_view key, std::string_view record);

// The value of a record's "salt".
enum class SaltForm : std::uint8_t {
  absent,   // not a string or list
  whole,    // the 32 hexadecimal digits of audit_state.hpp: no string was erased
  erased,   // a list of an erasure
  invalid,  // anything else. Such a record can have the hash of another one with other members.
};
[[nodiscard]] SaltForm salt_form(std::string_view record);

// Parses a hash of 64 lower-case hexadecimal digits.
[[nodiscard]] std::optional<Hash32> parse_hash32(std::string_view text);

// Returns the new JSON string, or nullopt to keep the present one. `name` is the member's; `json` has its quotes.
using StringReplacement = std::function<std::optional<std::string>(std::string_view name, std::string_view json)>;

// Replaces personal strings for ever, and keeps the record's hash: the salts of the replaced strings are removed.
// Returns whether there was one.
bool erase_personal_strings(std::string& record, const StringReplacement& replacement);

// Returns an import's record as it was before its outcome was added; nullopt if the record has no outcome.
[[nodiscard]] std::optional<std::string> without_outcome(std::string_view record);

}  // namespace portail
