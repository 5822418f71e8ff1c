// The results of check_each_claim, which is for diagnostics, must agree with read_claims.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/auth/claims.hpp"
#include "core/json/reader.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

struct BothResults {
  std::vector<ClaimCheck> checks;
  std::expected<Caller, Reason> caller;
};

BothResults run_checks(std::initializer_list<std::pair<std::string_view, std::string_view>> changes) {
  static const TokenSettings settings = [] {  // the checks name its subject claim
    TokenSettings of_tenant = sample_settings();
    of_tenant.tenant = "t1";
    return of_tenant;
  }();
  const auto document = parse_json(sample_claims(changes));
  const auto claims = *object_of(document->root());
  return {check_each_claim(claims, settings, sample_now), read_claims(claims, settings, sample_now)};
}

TEST(ClaimChecks, NameTheClaimsInTheOrderOfTheDecision) {
  const BothResults good = run_checks({{"tenantid", R"("t1")"}});
  ASSERT_EQ(good.checks.size(), 6U);
  EXPECT_EQ(good.checks[0].claims, (std::vector<std::string_view>{"iss"}));
  EXPECT_EQ(good.checks[1].claims, (std::vector<std::string_view>{"aud"}));
  EXPECT_EQ(good.checks[2].claims, (std::vector<std::string_view>{"exp", "nbf"}));
  EXPECT_EQ(good.checks[3].claims, (std::vector<std::string_view>{"tenantid"}));
  EXPECT_EQ(good.checks[4].claims,
            (std::vector<std::string_view>{"typ", "token_use", "events", "at_hash", "c_hash", "s_hash", "nonce"}));
  EXPECT_EQ(good.checks[5].claims, (std::vector<std::string_view>{"sub", "sub", "client_id", "azp", "idtyp"}));
  for (const ClaimCheck& check : good.checks) EXPECT_EQ(check.refusal, std::nullopt);
  EXPECT_TRUE(good.caller.has_value());
}

TEST(ClaimChecks, TheFirstRefusalIsTheDecision) {
  const BothResults all[] = {
      run_checks({{"iss", "1"}, {"tenantid", R"("t1")"}}),
      run_checks({{"aud", "[1]"}, {"tenantid", R"("t1")"}}),
      run_checks({{"exp", ""}, {"tenantid", R"("t1")"}}),
      run_checks({{"exp", "1"}, {"tenantid", R"("t1")"}}),
      run_checks({{"nbf", "9e15"}, {"tenantid", R"("t1")"}}),
      run_checks({{"nbf", "[]"}, {"tenantid", R"("t1")"}}),
      run_checks({}),
      run_checks({{"typ", R"("ID")"}, {"tenantid", R"("t1")"}}),
      run_checks({{"sub", ""}, {"tenantid", R"("t1")"}}),
      run_checks({{"iss", ""}, {"aud", ""}, {"exp", ""}, {"typ", R"("ID")"}, {"sub", "1"}}),
  };
  for (const BothResults& each : all) {
    const auto refused = [](const ClaimCheck& check) { return check.refusal.has_value(); };
    const auto first = std::ranges::find_if(each.checks, refused);
    ASSERT_NE(first, each.checks.end());
    ASSERT_FALSE(each.caller.has_value());
    EXPECT_EQ(*first->refusal, each.caller.error());
  }
  EXPECT_EQ(std::ranges::count_if(all[9].checks, [](const ClaimCheck& check) { return check.refusal.has_value(); }), 6);
}

}  // namespace
}  // namespace portail
