#include "core/webassembly/settings.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/webassembly/management_portal.hpp"
#include "native/settings/setting_table.hpp"

namespace portail {
namespace {

using Values = std::map<std::string, std::string>;

// Variables of a host; one of them cannot be read.
struct TestVariables final : Variables {
  TestVariables(Values readable, std::string unreadable_name)
      : values(std::move(readable)), unreadable(std::move(unreadable_name)) {}
  VariableResult find(const char* name) override {
    if (name == unreadable) return std::unexpected("unreadable");
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  Values values;
  std::string unreadable;
};

// Reads settings, with a default issuer and audience unless `more` contains them.
std::expected<PortalSettings, std::string> read(Values more, std::string unreadable = "") {
  more.insert({{"PORTAIL_ISSUER", "https://issuer.example"}, {"PORTAIL_AUDIENCE", "portail"}});
  TestVariables variables(std::move(more), std::move(unreadable));
  return read_settings(variables);
}

std::string fault_of(Values more, std::string unreadable = "") {
  const auto settings = read(std::move(more), std::move(unreadable));
  return settings ? "" : settings.error();
}

TEST(GuestSettings, HaveTheirDefaults) {
  const auto portal = read({});
  ASSERT_TRUE(portal) << portal.error();
  const Settings& settings = portal->settings;
  EXPECT_EQ(settings.tokens.issuer, "https://issuer.example");
  EXPECT_EQ(settings.tokens.audiences, std::vector<std::string>{"portail"});
  EXPECT_EQ(settings.tokens.leeway_seconds, 60);
  EXPECT_EQ(TokenSettings().leeway_seconds, 60) << "without a table";
  EXPECT_EQ(settings.tokens.subject_claim, "sub");
  EXPECT_EQ(settings.tokens.tenant, "");
  EXPECT_EQ(settings.transport, Transport::direct);
  EXPECT_EQ(settings.allowed_origins, std::vector<std::string>{});
  EXPECT_FALSE(settings.filter_lists);
  EXPECT_FALSE(portal->keys);
  EXPECT_EQ(portal->store, "");
}

TEST(GuestSettings, AreAllRead) {
  const auto portal = read({{"PORTAIL_AUDIENCE", "one, two ,,three"},
                            {"PORTAIL_LEEWAY", "300"},
                            {"PORTAIL_SUBJECT_CLAIM", "oid"},
                            {"PORTAIL_TENANT", "T"},
                            {"PORTAIL_TRANSPORT", "forwarded"},
                            {"PORTAIL_ALLOW_ORIGINS", "https://a.example,https://*.b.example"},
                            {"PORTAIL_FILTER_LISTS", "true"},
                            {"PORTAIL_JWKS", "\n {\"keys\":[]}"},
                            {"PORTAIL_STORE", "dir:/data"}});
  ASSERT_TRUE(portal) << portal.error();
  const Settings& settings = portal->settings;
  EXPECT_EQ(settings.tokens.audiences, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(settings.tokens.leeway_seconds, 300);
  EXPECT_EQ(settings.tokens.subject_claim, "oid");
  EXPECT_EQ(settings.tokens.tenant, "T");
  EXPECT_EQ(settings.transport, Transport::forwarded);
  EXPECT_EQ(settings.allowed_origins, (std::vector<std::string>{"https://a.example", "https://*.b.example"}));
  EXPECT_TRUE(settings.filter_lists);
  ASSERT_TRUE(portal->keys);
  EXPECT_EQ(portal->keys->keys.size(), 0);
  EXPECT_EQ(portal->store, "dir:/data");
}

TEST(GuestSettings, NeedAnIssuerAndAnAudience) {
  EXPECT_EQ(fault_of({{"PORTAIL_ISSUER", ""}}), "no issuer: set PORTAIL_ISSUER to the iss of the tokens");
  for (const char* audience : {"", ",", " , "}) {
    EXPECT_EQ(fault_of({{"PORTAIL_AUDIENCE", audience}}), "no audience: set PORTAIL_AUDIENCE to the aud of the tokens");
  }
}

TEST(GuestSettings, TokensRepeatNoQuotes) {
  EXPECT_EQ(fault_of({{"PORTAIL_ISSUER", "\"https://issuer.example\""}}),
            "PORTAIL_ISSUER must not begin with a quotation mark (U+0022)");
  EXPECT_EQ(fault_of({{"PORTAIL_AUDIENCE", "one,two\r"}}),
            "PORTAIL_AUDIENCE must not contain a carriage return (U+000D)");
  EXPECT_EQ(fault_of({{"PORTAIL_TENANT", "'T'"}}), "PORTAIL_TENANT must not begin with an apostrophe (U+0027)");
}

TEST(GuestSettings, SubjectsOfTheManagementInterfaceAreChecked) {
  TestVariables variables({{"PORTAIL_MANAGE_SUBJECTS", "sub-admin,sub-other\r"}}, "");
  const auto read = read_management_variables(variables);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "PORTAIL_MANAGE_SUBJECTS must not contain a carriage return (U+000D)");
}

TEST(GuestSettings, ASwitchHasTheValuesOfTheProgramsFlags) {
  for (const char* word : {"1", "true", "TRUE", "on", "yes", "Enable"}) {
    EXPECT_TRUE(read({{"PORTAIL_FILTER_LISTS", word}})->settings.filter_lists) << word;
  }
  for (const char* word : {"", "0", "false", "Off", "no", "disable"}) {
    EXPECT_FALSE(read({{"PORTAIL_FILTER_LISTS", word}})->settings.filter_lists) << word;
  }
  EXPECT_EQ(fault_of({{"PORTAIL_FILTER_LISTS", "2"}}), "PORTAIL_FILTER_LISTS must be true or false, not 2");
}

TEST(GuestSettings, ALeewayIsAWholeNumberOfSeconds) {
  EXPECT_EQ(read({{"PORTAIL_LEEWAY", "0"}})->settings.tokens.leeway_seconds, 0);
  EXPECT_EQ(fault_of({{"PORTAIL_LEEWAY", ""}}), "PORTAIL_LEEWAY must be 0 to 300 seconds, not empty");
  for (const std::string text : {"x", "1x", " 1", "1.5", "-1", "301", "99999999999999999999"}) {
    EXPECT_EQ(fault_of({{"PORTAIL_LEEWAY", text}}), "PORTAIL_LEEWAY must be 0 to 300 seconds, not " + text);
  }
}

TEST(GuestSettings, InvalidValuesAreReported) {
  EXPECT_EQ(fault_of({{"PORTAIL_SUBJECT_CLAIM", ""}}), "PORTAIL_SUBJECT_CLAIM must be the name of a claim, not empty");
  EXPECT_EQ(fault_of({{"PORTAIL_TRANSPORT", "tls"}}),
            "PORTAIL_TRANSPORT must be direct, forwarded, loopback or forwarded-or-loopback, not tls");
  EXPECT_EQ(fault_of({{"PORTAIL_ALLOW_ORIGINS", "https://a.example,b.example"}}),
            "PORTAIL_ALLOW_ORIGINS must be https://portal.example or https://*.example, not b.example");
  EXPECT_EQ(fault_of({{"PORTAIL_ALLOW_ORIGINS", "https://Portal.example"}}),
            "PORTAIL_ALLOW_ORIGINS must be https://portal.example or https://*.example, not https://Portal.example");
}

TEST(GuestSettings, AKeySetIsTextOrAUrl) {
  for (const char* location : {"keys.json", "http://issuer.example/jwks", "http://127.0.0.1/jwks", "[]",
                               "https://a@issuer.example/jwks", "ftp://issuer.example"}) {
    EXPECT_EQ(fault_of({{"PORTAIL_JWKS", location}}),
              "PORTAIL_JWKS must be the key set's JSON text or its https URL, with the transport loopback also an http "
              "URL of a loopback address; leave it out to use the stored config.jwks");
  }
  EXPECT_NE(fault_of({{"PORTAIL_JWKS", "http://10.0.0.1/jwks"}, {"PORTAIL_TRANSPORT", "loopback"}}), "");
  EXPECT_EQ(fault_of({{"PORTAIL_JWKS", "http://127.0.0.1:8080/jwks"}, {"PORTAIL_TRANSPORT", "loopback"}}), "");
}

TEST(GuestSettings, AUrlIsFetchedAtTheTimesOfTheSettings) {
  using std::chrono::seconds;
  const auto defaults = read({{"PORTAIL_JWKS", "https://issuer.example/jwks"}});
  ASSERT_TRUE(defaults && defaults->fetch);
  EXPECT_FALSE(defaults->keys);
  EXPECT_FALSE(defaults->fetch->location.is_discovery);
  EXPECT_EQ(defaults->fetch->times.interval, seconds(300));
  EXPECT_EQ(defaults->fetch->times.min_interval, seconds(30));
  EXPECT_EQ(defaults->fetch->timeout, seconds(10));
  EXPECT_EQ(defaults->fetch->times.max_age, seconds(86'400));
  const auto others = read({{"PORTAIL_JWKS", "https://issuer.example/.well-known/openid-configuration"},
                            {"PORTAIL_JWKS_REFRESH", "2"},
                            {"PORTAIL_JWKS_TIMEOUT", "3s"},
                            {"PORTAIL_JWKS_MAX_AGE", "1h"}});
  ASSERT_TRUE(others && others->fetch);
  EXPECT_TRUE(others->fetch->location.is_discovery);
  EXPECT_EQ(others->fetch->issuer, "https://issuer.example");
  EXPECT_EQ(others->fetch->times.interval, seconds(2));
  EXPECT_EQ(others->fetch->times.min_interval, seconds(2));
  EXPECT_EQ(others->fetch->timeout, seconds(3));
  EXPECT_EQ(others->fetch->times.max_age, seconds(3600));
  const auto fault_with = [](const char* name, const char* value) {
    return fault_of({{"PORTAIL_JWKS", "https://issuer.example/jwks"}, {name, value}});
  };
  EXPECT_EQ(fault_with("PORTAIL_JWKS_REFRESH", "0"), "PORTAIL_JWKS_REFRESH must be 1 to 86400 seconds, not 0");
  EXPECT_EQ(fault_with("PORTAIL_JWKS_TIMEOUT", "never"), "PORTAIL_JWKS_TIMEOUT must be 1 to 60 seconds, not never");
}

TEST(GuestSettings, AFaultInAKeySetDoesNotRepeatItsText) {
  for (const char* text : {"hunter2", R"([{"kty":"oct","k":"hunter2"}])", R"({"kty":"oct","k":"hunter2"})",
                           R"({"k":"hunter2)", R"({"keys":"hunter2"})"}) {
    const std::string fault = fault_of({{"PORTAIL_JWKS", text}});
    EXPECT_TRUE(fault.starts_with("PORTAIL_JWKS")) << fault;
    EXPECT_FALSE(fault.contains("hunter2")) << fault;
  }
}

TEST(GuestSettings, AFaultIsOneLine) {
  EXPECT_EQ(fault_of({{"PORTAIL_TRANSPORT", "a\nb"}}),
            "PORTAIL_TRANSPORT must be direct, forwarded, loopback or forwarded-or-loopback, not a?b");
}

TEST(GuestSettings, TextThatIsNoKeySetIsReported) {
  EXPECT_EQ(fault_of({{"PORTAIL_JWKS", "{oops"}}), "PORTAIL_JWKS: not a JWK set: malformed JSON");
  EXPECT_EQ(fault_of({{"PORTAIL_JWKS", R"({"kty":"oct"})"}}),
            "PORTAIL_JWKS: not a JWK set: it has no \"keys\" array; a single key is written {\"keys\":[KEY]}");
}

TEST(GuestSettings, AnUnreadableVariableIsAnError) {
  int count = 0;
  for (const Setting& setting : setting_table) {
    if (!setting.hosts.component) continue;
    EXPECT_EQ(fault_of({{"PORTAIL_JWKS", "https://issuer.example/jwks"}}, std::string(setting.variable)), "unreadable")
        << setting.variable;
    ++count;
  }
  EXPECT_EQ(count, 14);
}

}  // namespace
}  // namespace portail
