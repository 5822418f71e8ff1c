// Tokens that the service under test accepts: a key set of one Ed25519 and one HMAC key, the settings that go with it,
// and tokens signed with its keys. The keys are made from constants: worthless outside tests. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "tests/support/fixed_clock.hpp"

namespace portail {

inline constexpr std::string_view test_issuer = "https://issuer.test";
inline constexpr std::string_view test_audience = "portail-test";
inline constexpr std::string_view test_eddsa_kid = "test-eddsa";
inline constexpr std::string_view test_hs256_kid = "test-hs256";

TokenSettings test_token_settings();
// The same two keys for everybody, for ever.
FixedKeys& test_key_set();

// What a token says; the texts are put between quotes as they are.
struct TestClaims {
  std::string subject;                                        // no `sub` where it is empty
  std::vector<std::string> roles{};                           // `roles`
  std::vector<std::string> permissions{};                     // `permissions`
  std::string more{};                                         // further members: R"(,"azp":"portal")"
  std::int64_t expires = FixedClock::usual.seconds() + 3600;  // `exp`
};

// A compact JWS signed with test_eddsa_kid.
std::string make_test_token(const TestClaims& claims);
// The same signed with test_hs256_kid: a tenth of the time to verify, for tests that ask thousands of times.
std::string make_quick_test_token(const TestClaims& claims);
// The same for header and claims given as JSON text, signed with one or the other key.
std::string sign_eddsa_token(std::string_view header, std::string_view claims);
std::string sign_hs256_token(std::string_view header, std::string_view claims);

}  // namespace portail
