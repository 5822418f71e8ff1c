// Tokens that the service under test accepts: a key set of one Ed25519 and one HMAC key, the settings for it, and
// tokens signed with its keys. The keys are constants, and insecure outside tests. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

inline constexpr std::string_view test_issuer = "https://issuer.test";
inline constexpr std::string_view test_audience = "portail-test";
inline constexpr std::string_view test_eddsa_kid = "test-eddsa";
inline constexpr std::string_view test_hs256_kid = "test-hs256";

TokenSettings test_token_settings();
// Returns the same two keys in all tests.
FixedKeys& test_key_set();

// The claims of a token; the strings are quoted without escaping.
struct TestClaims {
  std::string subject;                                               // empty: no `sub`
  std::vector<std::string> roles{};                                  // `roles`
  std::vector<std::string> permissions{};                            // `permissions`
  std::string extra_members{};                                       // appended: R"(,"azp":"portal")"
  std::int64_t expires = FixedClock::default_time.seconds() + 3600;  // `exp`
};

// A compact JWS signed with test_eddsa_kid.
std::string make_test_token(const TestClaims& claims);
// The same signed with test_hs256_kid: verified in a tenth of the time, for tests with thousands of requests.
std::string make_quick_test_token(const TestClaims& claims);
// The same with any header and claims as JSON text, signed with one or the other key.
std::string sign_eddsa_token(std::string_view header, std::string_view claims);
std::string sign_hs256_token(std::string_view header, std::string_view claims);

}  // namespace portail
