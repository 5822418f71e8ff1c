// The keys that tokens are verified with, made from a JWK set (RFC 7517). A KeySet is immutable and may be read from
// any thread; each of its keys verifies one algorithm, settled when the set is loaded.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/crypto/key_material.hpp"

namespace portail {

struct Algorithm;  // core/auth/algorithms.hpp

struct VerificationKey {
  std::string kid;             // empty: the JWK has none
  const Algorithm* algorithm;  // never null
  KeyMaterial material;
};

class KeySet {
 public:
  KeySet() = default;
  explicit KeySet(std::vector<VerificationKey> keys) : keys_(std::move(keys)) {}

  // True when no key is usable: the service is not ready then, and answers 503 where a token would be needed.
  [[nodiscard]] bool empty() const { return keys_.empty(); }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  // The key of that kid (1 byte or more); null when there is none. The pointer lives as long as the set.
  [[nodiscard]] const VerificationKey* find(std::string_view kid) const;
  // For a token without kid: the one key of that algorithm; null when there is none, or more than one.
  [[nodiscard]] const VerificationKey* find_only(const Algorithm& algorithm) const;

 private:
  std::vector<VerificationKey> keys_;
};

// What the operator should know of one key of the set. Holds no key material.
struct KeyRemark {
  std::size_t index;      // in the set's "keys"
  std::string kid;        // empty: it has none that is usable
  std::string_view text;  // a constant: "the HMAC secret is shorter than 32 bytes"
};

// One line for a log: `keys[2] "kid-2": the HMAC secret is shorter than 32 bytes`; the kid as printable() gives it.
[[nodiscard]] std::string describe(const KeyRemark& remark);

struct LoadedKeySet {
  KeySet keys;
  std::vector<KeyRemark>
      refusals;  // keys that were left out, and why (docs/reference/contract.md, "Tokens: keys refused")
  std::vector<KeyRemark> notices;  // keys that are used, but hold private members, which are ignored
};

inline constexpr std::size_t largest_key_set = std::size_t{1024} * 1024;  // in bytes

// Reads a JWK set, UTF-8 JSON text. A bad key is left out with its refusal, and the rest is used. The error is one line
// for the operator: the text is not a JWK set at all.
[[nodiscard]] std::expected<LoadedKeySet, std::string> load_key_set(std::string_view json);

}  // namespace portail
