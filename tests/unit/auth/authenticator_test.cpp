// docs/reference/contract.md, "Tokens: where"; and the steps from a header to a caller.
#include "core/auth/authenticator.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_context.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

using Kind = AuthenticationFault::Kind;

Authentication authenticate_headers(std::vector<HeaderView> headers) {
  TestContext test;
  test.clock.set(sample_now);
  FixedKeys keys(load_keys({ed25519_jwk, hmac_jwk}).keys);
  const TokenSettings settings = sample_settings();
  const Request request{.method = "GET", .target = "/api/app/liasse", .headers = headers};
  return run_ready(authenticate(test.context, request, keys, settings)).value();
}

std::string good_token() { return sign_token(signing_key(ed25519_jwk), sample_claims()); }

TEST(Authenticator, FindsTheCaller) {
  const std::string value = "Bearer " + good_token();
  const auto caller = authenticate_headers({{"Host", "portail.test"}, {"Authorization", value}});
  ASSERT_TRUE(caller.has_value()) << text_of(caller.error().reason);
  EXPECT_EQ((*caller)->subject, "sub-client-1");
}

TEST(Authenticator, IgnoresTheCaseOfSchemeAndName) {
  const std::string value = "bEARER " + good_token();
  EXPECT_TRUE(authenticate_headers({{"AUTHORIZATION", value}}).has_value());
}

TEST(Authenticator, ReportsThatNoTokenWasSent) {
  for (std::string_view value : {"", "Bearer", "Basic dXNlcjpwYXNz", "Bearerx a.b.c", "a.b.c", "BearerX"}) {
    const auto caller = authenticate_headers({{"Authorization", value}});
    ASSERT_FALSE(caller.has_value());
    EXPECT_EQ(caller.error().kind, Kind::no_token) << value;
    EXPECT_EQ(text_of(caller.error().reason), "No bearer token was sent");
  }
  EXPECT_EQ(authenticate_headers({}).error().kind, Kind::no_token);
}

TEST(Authenticator, RefusesTwoHeaders) {
  const std::string value = "Bearer " + good_token();
  for (std::string_view second : {std::string_view(value), std::string_view("Basic dXNlcjpwYXNz")}) {
    const auto caller = authenticate_headers({{"Authorization", value}, {"authorization", second}});
    ASSERT_FALSE(caller.has_value());
    EXPECT_EQ(caller.error().kind, Kind::bad_token);
    EXPECT_EQ(text_of(caller.error().reason), "More than one Authorization header was sent");
  }
}

TEST(Authenticator, RefusesATokenThatIsNotAlone) {
  const std::string token = good_token();
  for (const std::string& value :
       {"Bearer  " + token, "Bearer " + token + ", Bearer " + token, "Bearer " + token + " x"}) {
    const auto caller = authenticate_headers({{"Authorization", value}});
    ASSERT_FALSE(caller.has_value()) << value;
    EXPECT_EQ(caller.error().kind, Kind::bad_token);
  }
}

TEST(Authenticator, ReportsTheReasonOfARefusal) {
  const auto reason = [](const std::string& token) {
    const std::string value = "Bearer " + token;
    const auto caller = authenticate_headers({{"Authorization", value}});
    return caller ? "accepted" : std::string(text_of(caller.error().reason));
  };
  const SigningKey key = signing_key(ed25519_jwk);
  EXPECT_EQ(reason("a.b"), "The token is not a compact JWS of three parts");
  EXPECT_EQ(reason(sign_token(key, sample_claims({{"exp", "1699999940"}}))), "The token has expired");
  EXPECT_EQ(reason(sign_token(signing_key(other_ed25519_jwk), sample_claims())),
            "The token's key (kid) is not known here");
  EXPECT_EQ(reason(sign_token(signing_key(hmac_jwk), sample_claims())), "accepted");
}

}  // namespace
}  // namespace portail
