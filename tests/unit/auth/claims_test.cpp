// docs/reference/contract.md, "Tokens: claims", "Who sees what". tests/attacks has the claims that are refused.
#include "core/auth/claims.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/json/reader.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

using Changes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

std::expected<Caller, Reason> read(Changes changes, const TokenSettings& settings = sample_settings(),
                                   Instant now = sample_now) {
  const auto document = parse_json(sample_claims(changes), {.max_depth = 16, .unique_names = true});
  EXPECT_TRUE(document.has_value()) << sample_claims(changes);
  return read_claims(*object_of(document->root()), settings, now);
}

std::string verdict(Changes changes, const TokenSettings& settings = sample_settings(), Instant now = sample_now) {
  const auto caller = read(changes, settings, now);
  return caller ? "accepted" : std::string(text_of(caller.error()));
}

constexpr Instant at(std::int64_t seconds) { return {seconds * 1'000'000}; }

TEST(Claims, AreAcceptedIfValid) {
  const auto caller = read({});
  ASSERT_TRUE(caller.has_value()) << text_of(caller.error());
  EXPECT_EQ(caller->subject, "sub-client-1");
  EXPECT_EQ(caller->client, "");
  EXPECT_FALSE(caller->is_client_token);
  EXPECT_TRUE(caller->roles.empty());
  EXPECT_EQ(caller->permissions, PermissionSet{});
  EXPECT_EQ(caller->user_name, "");
  EXPECT_EQ(read({{"sub", R"("Chlo\u00e9")"}})->subject, "Chloé");
}

TEST(Claims, NameOneOfTheAudiences) {
  for (std::string_view aud : {R"("portail")", R"("api://portail")", R"(["portail"])", R"(["other","api://portail"])",
                               R"(["portail","other"])", R"(["other","portail","another"])"}) {
    EXPECT_EQ(verdict({{"aud", aud}}), "accepted") << aud;
  }
}

TEST(Claims, ExpireAfterTheLeeway) {
  TokenSettings settings = sample_settings();
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, at(1059)), "accepted");
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, at(1060)), "The token has expired");
  EXPECT_EQ(verdict({{"exp", "1000.5"}}, settings, at(1060)), "accepted");
  settings.leeway_seconds = 0;
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, at(999)), "accepted");
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, {999'999'999}), "accepted");
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, at(1000)), "The token has expired");
  settings.leeway_seconds = 300;
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, at(1299)), "accepted");
  EXPECT_EQ(verdict({{"exp", "1000"}}, settings, at(1300)), "The token has expired");
}

TEST(Claims, MayStartLater) {
  TokenSettings settings = sample_settings();
  EXPECT_EQ(verdict({{"nbf", "1700000060"}}, settings), "accepted");
  EXPECT_EQ(verdict({{"nbf", "1700000061"}}, settings), "The token is not valid yet (nbf)");
  EXPECT_EQ(verdict({{"nbf", "1700000060.5"}}, settings), "The token is not valid yet (nbf)");
  settings.leeway_seconds = 0;
  EXPECT_EQ(verdict({{"nbf", "1700000000"}}, settings), "accepted");
  EXPECT_EQ(verdict({{"nbf", "1700000001"}}, settings), "The token is not valid yet (nbf)");
}

TEST(Claims, MayNameAClientInsteadOfASubject) {
  const auto caller = read({{"sub", ""}, {"azp", R"("robot")"}});
  ASSERT_TRUE(caller.has_value()) << text_of(caller.error());
  EXPECT_EQ(caller->subject, "");
  EXPECT_EQ(caller->client, "robot");
  EXPECT_TRUE(caller->is_client_token);
  EXPECT_EQ(read({{"sub", ""}, {"client_id", R"("robot")"}})->client, "robot");
}

TEST(Claims, DistinguishAClientFromItsUsers) {
  EXPECT_FALSE(read({{"azp", R"("robot")"}})->is_client_token);
  EXPECT_TRUE(read({{"sub", R"("robot")"}, {"azp", R"("robot")"}})->is_client_token);
  EXPECT_TRUE(read({{"sub", R"("robot")"}, {"client_id", R"("robot")"}})->is_client_token);
  EXPECT_TRUE(read({{"client_id", R"("robot")"}, {"idtyp", R"("app")"}})->is_client_token);
  EXPECT_FALSE(read({{"client_id", R"("robot")"}, {"idtyp", R"("user")"}})->is_client_token);
  EXPECT_FALSE(read({{"idtyp", R"("app")"}})->is_client_token);
}

TEST(Claims, PreferClientIdToAzp) {
  const auto caller = read({{"azp", R"("front")"}, {"client_id", R"("robot")"}});
  EXPECT_EQ(caller->client, "robot");
}

TEST(Claims, MayNameTheSubjectByAnotherClaim) {
  TokenSettings settings = sample_settings();
  settings.subject_claim = "oid";
  EXPECT_EQ(read({{"oid", R"("o-1")"}}, settings)->subject, "o-1");
  // A user without that claim has no bundles, and is not treated as the client.
  const auto user = read({{"azp", R"("front")"}}, settings);
  ASSERT_TRUE(user.has_value()) << text_of(user.error());
  EXPECT_EQ(user->subject, "");
  EXPECT_FALSE(user->is_client_token);
  // Nor is one who chose the client's name as theirs.
  EXPECT_FALSE(read({{"azp", R"("front")"}, {"oid", R"("front")"}}, settings)->is_client_token);
}

TEST(Claims, NameTheUser) {
  EXPECT_EQ(read({{"name", R"("Chloé Durand")"}})->user_name, "Chloé Durand");
  EXPECT_EQ(read({{"name", R"("n")"}, {"unique_name", R"("u")"}})->user_name, "u");
  EXPECT_EQ(read({{"name", R"("n")"}, {"unique_name", R"("u")"}, {"preferred_username", R"("p")"}})->user_name, "p");
  EXPECT_EQ(read({{"preferred_username", "7"}, {"unique_name", R"("")"}, {"name", R"("n")"}})->user_name, "n");
}

TEST(Claims, ContainTheProfile) {
  const auto person = read({{"given_name", R"("Chloé")"},
                            {"family_name", R"("Durand")"},
                            {"name", R"("Chloé Durand")"},
                            {"email", R"("chloe@exemple.fr")"},
                            {"email_verified", "true"}})
                          .value();
  EXPECT_EQ(person.first_name, "Chloé");
  EXPECT_EQ(person.last_name, "Durand");
  EXPECT_EQ(person.email, "chloe@exemple.fr");
  EXPECT_TRUE(person.email_verified);
  EXPECT_EQ(read({{"name", R"("Chloé Durand")"}})->first_name, "Chloé Durand");
  EXPECT_EQ(read({{"family_name", "7"}, {"email", "[]"}})->last_name, "");
  EXPECT_TRUE(read({{"email_verified", R"("True")"}})->email_verified);
  for (const std::string_view no : {"false", R"("false")", R"("yes")", "1", "null"}) {
    EXPECT_FALSE(read({{"email_verified", no}})->email_verified) << no;
  }
}

TEST(Claims, CarryRolesAndPermissions) {
  const auto caller =
      read({{"resource_access", R"({"portail":{"roles":"a"},"api://portail":{"roles":["b"]},"x":{"roles":"c"}})"},
            {"permissions", R"("PortailClients.Dashboard.Host")"}});
  EXPECT_EQ(caller->roles, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(caller->permissions.contains(Permission::dashboard));
}

// The results of check_each_claim, which is for diagnostics, must agree with read_claims.

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
  const auto refused = [](const ClaimCheck& check) { return check.refusal.has_value(); };
  for (const BothResults& each : all) {
    const auto first = std::ranges::find_if(each.checks, refused);
    ASSERT_NE(first, each.checks.end());
    ASSERT_FALSE(each.caller.has_value());
    EXPECT_EQ(*first->refusal, each.caller.error());
  }
  EXPECT_EQ(std::ranges::count_if(all[9].checks, refused), 6);
}

}  // namespace
}  // namespace portail
