// Checks and reads the claims of a token whose signature is verified (docs/reference/contract.md, "Tokens: claims",
// "Who sees what"). Pure functions; any thread.
#pragma once

#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "core/auth/caller.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/time.hpp"
#include "core/http/reason.hpp"
#include "core/json/value.hpp"

namespace portail {

// The period in which a token is valid, in seconds since 1970.
struct TokenTimes {
  double expires;     // exp
  double starts = 0;  // nbf
};

// Returns the times of the claims, or why they are refused.
[[nodiscard]] std::expected<TokenTimes, Reason> read_times(JsonObject claims);
// Checks that a token of these times is valid at `now`, with the leeway of the settings.
[[nodiscard]] std::expected<void, Reason> check_times(const TokenTimes& times, const TokenSettings& settings,
                                                      Instant now);

// Returns the caller if the claims are those of an access token for this service that is valid at `now`.
[[nodiscard]] std::expected<Caller, Reason> read_claims(JsonObject claims, const TokenSettings& settings, Instant now);

// A check of read_claims: the claims that it reads (views of constants or of the settings), and its refusal.
struct ClaimCheck {
  std::vector<std::string_view> claims;
  std::optional<Reason> refusal;
};
// Returns the result of each check, for diagnostics, in the order of read_claims, which returns the first refusal.
[[nodiscard]] std::vector<ClaimCheck> check_each_claim(JsonObject claims, const TokenSettings& settings, Instant now);

}  // namespace portail
