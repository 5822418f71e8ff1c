// What the claims of a token say (docs/reference/contract.md, "Tokens: claims", "Who sees what"), once its signature is
// verified. Pure functions; any thread.
#pragma once

#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "core/auth/caller.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/time.hpp"
#include "core/json/value.hpp"

namespace portail {

// Between when a token is good, in seconds since 1970.
struct TokenTimes {
  double expires;     // exp
  double starts = 0;  // nbf
};

// The times that the claims give, or a sentence for the token's owner (as below).
[[nodiscard]] std::expected<TokenTimes, std::string_view> read_times(JsonObject claims);
// Whether a token of these times is good at `now`, with the leeway of the settings; else a sentence for its owner.
[[nodiscard]] std::expected<void, std::string_view> check_times(const TokenTimes& times, const TokenSettings& settings,
                                                                Instant now);

// The caller, where the claims are those of an access token for this service that is good at `now`. Else a sentence
// for the token's owner, a constant without '"' or '\'.
[[nodiscard]] std::expected<Caller, std::string_view> read_claims(JsonObject claims, const TokenSettings& settings,
                                                                  Instant now);

// One of the checks that read_claims makes: the claims that it looks at (views of constants, or of the settings), and
// its refusal.
struct ClaimCheck {
  std::vector<std::string_view> claims;
  std::optional<std::string_view> refusal;
};
// What each check says for itself, in the order of read_claims, which answers the first refusal: for people.
[[nodiscard]] std::vector<ClaimCheck> check_each_claim(JsonObject claims, const TokenSettings& settings, Instant now);

}  // namespace portail
