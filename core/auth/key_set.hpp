// The verification keys of tokens, loaded from a JWK set (RFC 7517). A KeySet is immutable and may be read from any
// thread. Each key verifies one algorithm, which is determined when the set is loaded.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/crypto/signatures.hpp"

namespace portail {

struct Algorithm;  // core/auth/algorithms.hpp

struct VerificationKey {
  std::string kid;             // empty: the JWK has no kid
  const Algorithm* algorithm;  // never null
  KeyMaterial material;
};

class KeySet {
 public:
  KeySet() = default;
  explicit KeySet(std::vector<VerificationKey> keys) : keys_(std::move(keys)) {}

  // True if no key is usable: the service is not ready, and answers 503 to requests that need a token.
  [[nodiscard]] bool empty() const { return keys_.empty(); }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] std::span<const VerificationKey> keys() const { return keys_; }
  // Returns the first key of that kid (at least 1 byte), or null; with an algorithm, the first of both. Several keys of
  // a set may have one kid, also of one algorithm. The pointer is valid as long as the set.
  [[nodiscard]] const VerificationKey* find(std::string_view kid, const Algorithm* algorithm = nullptr) const;
  // For a token without kid: returns the only key of the algorithm; null if there is none, or more than one.
  [[nodiscard]] const VerificationKey* find_only(const Algorithm& algorithm) const;

 private:
  std::vector<VerificationKey> keys_;
};

// A message for the operator about one key of the set, without key material.
struct KeyDiagnostic {
  std::size_t index;  // in the set's "keys"
  std::string kid;    // empty: no valid kid
  std::string text;   // "its secret is shorter than 32 bytes"
};

// Returns one line for a log: `keys[2] "kid-2": its secret is shorter than 32 bytes`, with printable(kid).
[[nodiscard]] std::string describe(const KeyDiagnostic& diagnostic);

struct LoadedKeySet {
  KeySet keys;
  // Both by ascending index. Refusals are of keys that are not used (docs/reference/contract.md, "Tokens: keys
  // refused"), notices on keys with private members, which are ignored.
  std::vector<KeyDiagnostic> refusals;
  std::vector<KeyDiagnostic> notices;
};

// Returns whether the key of that index in "keys" is not used.
[[nodiscard]] bool is_refused(const LoadedKeySet& loaded, std::size_t index);

inline constexpr std::size_t max_key_set_size = std::size_t{1024} * 1024;  // in bytes

// Loads a JWK set from UTF-8 JSON text. An invalid key is not used, and its refusal is reported; the others are used.
// The error is one line for the operator: the text is not a JWK set.
[[nodiscard]] std::expected<LoadedKeySet, std::string> load_key_set(std::string_view json);

}  // namespace portail
