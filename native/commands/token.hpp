// The claims of tokens for development, for `token` and `development`. One thread.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <vector>

#include "native/settings/fault.hpp"

namespace portail {

// The command line of `token`.
struct TokenArguments {
  std::string keys;
  std::string kid;
  std::string issuer;
  std::vector<std::string> audiences;
  std::string subject;
  std::vector<std::string> roles;
  std::vector<std::string> permissions;
  std::string client_id;
  std::chrono::seconds lifetime = std::chrono::hours(1);
  std::vector<std::string> claims;  // NAME=JSON
};

// Returns the claims of the contract's tokens, valid from now, and the additional ones as given. A malformed one is
// wrong usage.
std::expected<std::string, Fault> make_claims(const TokenArguments& arguments);

}  // namespace portail
