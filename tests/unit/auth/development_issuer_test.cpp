#include "core/auth/development_issuer.hpp"

#include <string>

#include <gtest/gtest.h>

#include "core/auth/authenticator.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/support/test_context.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

class DevelopmentIssuing : public testing::Test {
 protected:
  DevelopmentIssuing() { test.clock.set(sample_now); }

  Authentication authenticated(DevelopmentIssuer& verifier, const std::string& token) {
    const std::string value = "Bearer " + token;
    const HeaderView headers[] = {{"Authorization", value}};
    const TokenSettings settings = verifier.settings();
    const Request request{.method = "GET", .target = "/", .headers = headers};
    return run_ready(authenticate(test.context, request, verifier.keys(), settings)).value();
  }

  TestContext test;
  SeededRandom random{1};
  DevelopmentIssuer issuer{random};
};

TEST_F(DevelopmentIssuing, ItsSettingsAcceptItsTokens) {
  const auto caller = authenticated(issuer, issuer.token("chloé \"C\"", test.clock.now()));
  ASSERT_TRUE(caller.has_value()) << text_of(caller.error().reason);
  EXPECT_EQ((*caller)->subject, "chloé \"C\"");
  EXPECT_FALSE((*caller)->permissions.contains(Permission::dashboard));
}

TEST_F(DevelopmentIssuing, ATokenHasItsPermissions) {
  const auto caller =
      authenticated(issuer, issuer.token("manager", test.clock.now(), {"PortailClients.Dashboard.Host"}));
  ASSERT_TRUE(caller.has_value()) << text_of(caller.error().reason);
  EXPECT_TRUE((*caller)->permissions.contains(Permission::dashboard));
}

TEST_F(DevelopmentIssuing, ATokenExpiresAfterTwelveHours) {
  const std::string token = issuer.token("client-1", test.clock.now());
  const std::int64_t leeway = issuer.settings().leeway_seconds;
  test.clock.set({sample_now.microseconds + (12 * 3600 + leeway - 1) * 1'000'000});
  EXPECT_TRUE(authenticated(issuer, token).has_value());
  test.clock.set({sample_now.microseconds + (12 * 3600 + leeway) * 1'000'000});
  const auto late = authenticated(issuer, token);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(text_of(late.error().reason), "The token has expired");
}

TEST_F(DevelopmentIssuing, RefusesTheTokensOfAnotherOne) {
  DevelopmentIssuer other(random);
  const auto caller = authenticated(issuer, other.token("client-1", test.clock.now()));
  ASSERT_FALSE(caller.has_value());
  EXPECT_EQ(caller.error().kind, AuthenticationFault::Kind::bad_token);
}

}  // namespace
}  // namespace portail
