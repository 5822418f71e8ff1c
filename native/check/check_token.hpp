// `portail check --token`: explains a token claim by claim, the service's verdict, and the caller's access. The core
// decides the verdict. One thread.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/auth/caller.hpp"
#include "core/auth/key_set.hpp"
#include "core/auth/permissions.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/time.hpp"
#include "core/json/writer.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/settings/fault.hpp"

namespace portail {

// Has neither signature nor key material.
struct TokenExplanation {
  // JSON texts of the header's members, or "(none)"; names of the other members.
  struct Header {
    std::string alg;
    std::string kid;
    std::string typ;
    std::vector<std::string> others;
  };
  struct Claim {
    std::string text;     // names, values and what is expected
    std::string refusal;  // empty if the claim is accepted
  };
  // What the store gives the caller.
  struct Access {
    Caller caller;
    std::vector<std::pair<Permission, std::string>> permissions;  // with the reason of each
    std::vector<std::string> own_bundles;
    std::size_t managed_bundles = 0;
  };

  int verdict = 0;     // 200, 401 or 503
  std::string reason;  // empty if the verdict is 200
  bool has_three_parts = false;
  std::optional<Header> header;  // nullopt: not one JSON object
  std::string key;               // the key that the header names
  bool is_verified = false;
  std::optional<std::vector<Claim>> claims;  // nullopt: not one JSON object
  std::optional<Access> access;              // if the verdict is 200

  // The fault of a verdict other than 200.
  [[nodiscard]] std::optional<std::string> fault() const;
};

// Returns the token of the option --token: its value, or for "-" standard input, without pasted surroundings.
std::expected<std::string, Fault> read_token(const std::string& argument);

// Returns what the token claims, unverified: `alg "EdDSA", kid "one", iss …, aud …, expires in 5 s`.
std::string summarize_token(std::string_view token, Instant now);

// `token` is a compact JWS. A fault is that the store cannot be read.
std::expected<TokenExplanation, Fault> explain_token(std::string_view token, const KeySet& keys,
                                                     const TokenSettings& settings, KeyValueStore& store);

// Prints the explanation as rows, without the verdict.
void print_token(const TokenExplanation& token);

// Writes it as one JSON object.
void append_token(JsonWriter& json, const TokenExplanation& token);

}  // namespace portail
