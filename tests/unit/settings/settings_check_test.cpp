#include "core/settings/settings_check.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/settings/setting_table.hpp"

namespace portail {
namespace {

// Returns the error, or an empty text.
std::string fault_of(SettingName setting, const std::string& text) {
  const auto checked = check_value(setting, "--" + std::string(setting->name), text);
  return checked ? "" : checked.error();
}

TEST(SettingsCheck, ATransportIsOneOfThreeWords) {
  EXPECT_EQ(read_transport("--transport", "direct"), Transport::direct);
  EXPECT_EQ(read_transport("--transport", "forwarded"), Transport::forwarded);
  EXPECT_EQ(read_transport("--transport", "loopback"), Transport::loopback);
  for (const std::string text : {"Direct", "direct ", "https"}) {
    const auto transport = read_transport("PORTAIL_TRANSPORT", text);
    ASSERT_FALSE(transport) << text;
    EXPECT_EQ(transport.error(),
              "PORTAIL_TRANSPORT must be direct, forwarded, loopback or forwarded-or-loopback, not " + text);
    EXPECT_EQ(fault_of("transport", text),
              "--transport must be direct, forwarded, loopback or forwarded-or-loopback, not " + text);
  }
  EXPECT_EQ(fault_of("transport", "loopback"), "");
  EXPECT_EQ(fault_of("transport", ""),
            "--transport must be direct, forwarded, loopback or forwarded-or-loopback, not empty");
}

TEST(SettingsCheck, ANumberIsAnIntegerInItsRange) {
  EXPECT_EQ(read_number(SettingName("leeway"), "--leeway", "0"), 0);
  EXPECT_EQ(read_number(SettingName("leeway"), "--leeway", "300"), 300);
  EXPECT_EQ(fault_of("leeway", "300"), "");
  EXPECT_EQ(fault_of("leeway", "-1"), "--leeway must be 0 to 300 seconds, not -1");
  EXPECT_EQ(read_number(SettingName("leeway"), "PORTAIL_LEEWAY", "301").error(),
            "PORTAIL_LEEWAY must be 0 to 300 seconds, not 301");
  for (const std::string text : {"soon", "1.5", "0x10", "1_0", " 1", "1 ", "+1", "99999999999999999999"}) {
    EXPECT_EQ(fault_of("leeway", text), "--leeway must be 0 to 300 seconds, not " + text);
  }
  EXPECT_EQ(fault_of("workers", "1000"), "");
  EXPECT_EQ(fault_of("workers", "0"), "--workers must be 1 to 1000, not 0");
  EXPECT_EQ(fault_of("max-connections-per-address", "9223372036854775807"), "");
  EXPECT_EQ(fault_of("max-connections-per-address", "0"), "--max-connections-per-address must be at least 1, not 0");
}

TEST(SettingsCheck, ADurationMayHaveAUnit) {
  EXPECT_EQ(read_number(SettingName("drain-delay"), "--drain-delay", "200"), 200);
  EXPECT_EQ(read_number(SettingName("drain-delay"), "--drain-delay", "200ms"), 200);
  EXPECT_EQ(read_number(SettingName("drain-delay"), "--drain-delay", "5s"), 5000);
  EXPECT_EQ(read_number(SettingName("drain-delay"), "--drain-delay", "10min"), 600'000);
  EXPECT_EQ(read_number(SettingName("leeway"), "--leeway", "300s"), 300);
  EXPECT_EQ(read_number(SettingName("leeway"), "--leeway", "2000ms"), 2);
  EXPECT_EQ(read_number(SettingName("shutdown-timeout"), "--shutdown-timeout", "1h"), 3600);
  EXPECT_EQ(read_number(SettingName("jwks-max-age"), "--jwks-max-age", "31d"), 2'678'400);
  for (const std::string text : {"11min", "600001ms", "1h", "s", "5 s", "5m", "5sec", "-5s", "1.5s", "5s5s", "5S",
                                 "9223372036854775807d", "9223372036854775807s"}) {
    EXPECT_EQ(fault_of("drain-delay", text), "--drain-delay must be 0 to 600000 milliseconds, not " + text);
  }
  EXPECT_EQ(fault_of("leeway", "1500ms"), "--leeway must be 0 to 300 seconds, not 1500ms");
  EXPECT_EQ(fault_of("workers", "5s"), "--workers must be 1 to 1000, not 5s");
}

TEST(SettingsCheck, ADurationMayBeOfDays) {
  EXPECT_EQ(read_number(SettingName("audit-retention"), "--audit-retention", "365d"), 365);
  EXPECT_EQ(read_number(SettingName("audit-retention"), "--audit-retention", "8760h"), 365);
  EXPECT_EQ(read_number(SettingName("audit-retention"), "--audit-retention", "365"), 365);
  EXPECT_EQ(read_number(SettingName("audit-retention"), "--audit-retention", "36500d"), 36'500);
  for (const std::string text : {"d", "0d", "36501d", "1 d", "1dd", "1h", "36h", "876024h"}) {
    EXPECT_EQ(fault_of("audit-retention", text), "--audit-retention must be 1 to 36500 days, not " + text);
  }
}

TEST(SettingsCheck, AToggleHasItsWords) {
  EXPECT_EQ(read_toggle(SettingName("filter-lists"), "--filter-lists", "Yes"), true);
  EXPECT_EQ(read_toggle(SettingName("filter-lists"), "--filter-lists", "off"), false);
  EXPECT_EQ(fault_of("filter-lists", "2"), "--filter-lists must be true or false, not 2");
}

TEST(SettingsCheck, ASubjectClaimHasAName) {
  EXPECT_EQ(fault_of("subject-claim", "oid"), "");
  EXPECT_EQ(fault_of("subject-claim", ""), "--subject-claim must be the name of a claim, not empty");
}

TEST(SettingsCheck, AnOriginIsASchemeAndAHost) {
  for (const char* origin : {"https://portal.example", "https://portal.example:8443", "http://localhost:4200",
                             "https://*.example", "https://*.portal.example"}) {
    EXPECT_EQ(fault_of("allow-origin", origin), "") << origin;
  }
}

TEST(SettingsCheck, AnInvalidOriginIsNamed) {
  for (const std::string origin :
       {"*", "portal.example", "://portal.example", "https://", "https://portal.example/", "https://portal.example/a",
        "http://*.example", "https://*", "https://portal.*", "https://*.*.example", "https://a*.example",
        "https://Portal.example", "https://portal.example:443", "https://*.portal.example."}) {
    EXPECT_EQ(fault_of("allow-origin", origin),
              "--allow-origin must be https://portal.example or https://*.example, not " + origin);
  }
}

TEST(SettingsCheck, WhatTokensRepeatHasNoQuotesAroundIt) {
  for (const std::string_view name :
       {"issuer", "audience", "tenant", "page-client", "subject-claim", "manage-subject"}) {
    const Setting& setting = *find_setting(name);
    const auto fault = [&setting](const std::string& text) {
      const auto checked = check_value(setting, "WHERE", text);
      return checked ? "" : checked.error();
    };
    EXPECT_EQ(fault("https://login.example/realms/l'été"), "");
    EXPECT_EQ(fault("\"https://login.example\""), "WHERE must not begin with a quotation mark (U+0022)");
    EXPECT_EQ(fault("portail\""), "WHERE must not end with a quotation mark (U+0022)");
    EXPECT_EQ(fault("'portail'"), "WHERE must not begin with an apostrophe (U+0027)");
    EXPECT_EQ(fault("portail\r"), "WHERE must not contain a carriage return (U+000D)");
    EXPECT_EQ(fault("por\ntail"), "WHERE must not contain a line feed (U+000A)");
    EXPECT_EQ(fault("por\ttail"), "WHERE must not contain a control character (U+0009)");
    EXPECT_EQ(fault("portail "), "WHERE must not end with a space (U+0020)");
    EXPECT_EQ(fault("\u201cportail\u201d"), "WHERE must not begin with a quotation mark (U+201C)");
    EXPECT_EQ(fault("portail\u00a0"), "WHERE must not end with a no-break space (U+00A0)");
    EXPECT_EQ(fault("\u3000portail"), "WHERE must not begin with a space (U+3000)");
    EXPECT_EQ(fault("por\u00a0tail"), "");
    EXPECT_EQ(fault("\ufeffportail"), "WHERE must not contain a byte order mark (U+FEFF)");
    EXPECT_EQ(fault("por\u200btail"), "WHERE must not contain a zero-width space (U+200B)");
    EXPECT_EQ(fault("por\u200dtail"), "WHERE must not contain an invisible character (U+200D)");
    EXPECT_EQ(fault("por\u2028tail"), "WHERE must not contain an invisible character (U+2028)");
    EXPECT_EQ(fault("por\u2060tail"), "WHERE must not contain an invisible character (U+2060)");
    EXPECT_EQ(fault("por\u00adtail"), "WHERE must not contain a soft hyphen (U+00AD)");
    EXPECT_EQ(fault("por\u0085tail"), "WHERE must not contain a control character (U+0085)");
  }
  EXPECT_EQ(fault_of("issuer", ""), "") << "unset";
}

TEST(SettingsCheck, AListIsApartByCommas) {
  EXPECT_EQ(values_of_list("one, two ,,three,"), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(values_of_list(" , "), std::vector<std::string>{});
}

TEST(SettingsCheck, ALineRepeatsNoSecretAndStaysALine) {
  EXPECT_EQ(refusal(SettingName("jwks"), "PORTAIL_JWKS", "hunter2"),
            "PORTAIL_JWKS must be a file, an https URL without user name or fragment, or JSON text that begins with {");
  EXPECT_EQ(refusal(SettingName("leeway"), "--leeway", "1\n2"), "--leeway must be 0 to 300 seconds, not 1?2");
}

// Checks the consistency of the table.
TEST(SettingTable, HoldsTogether) {
  for (const Setting& setting : setting_table) {
    EXPECT_EQ(find_setting(setting.name), &setting) << setting.name;
    EXPECT_TRUE(setting.variable.empty() ||
                std::ranges::count(setting_table, setting.variable, &Setting::variable) == 1)
        << setting.name;
    EXPECT_TRUE(setting.variable.empty() || setting.variable.starts_with("PORTAIL_")) << setting.name;
    EXPECT_NE(setting.help, "") << setting.name;
    EXPECT_TRUE(setting.hosts.program) << setting.name;
    EXPECT_TRUE(setting.hosts.component || setting.hosts.management || !setting.hosts.package) << setting.name;
    EXPECT_TRUE(!setting.hosts.component || !setting.variable.empty()) << setting.name;
    if (!setting.default_value.empty()) {
      EXPECT_EQ(fault_of(setting, std::string(setting.default_value)), "");
    }
    const bool is_judged = setting.kind != SettingKind::text && setting.kind != SettingKind::identifier &&
                           setting.kind != SettingKind::file;
    EXPECT_TRUE(!is_judged || setting.kind == SettingKind::store || !allowed_by(setting).empty()) << setting.name;
  }
  EXPECT_EQ(find_setting("no-such-setting"), nullptr);
}

constexpr std::array<std::string_view, 6> known{"PORTAIL_ISSUER",        "PORTAIL_AUDIENCE",
                                                "PORTAIL_STORE",         "PORTAIL_LISTEN",
                                                "PORTAIL_INSECURE_HTTP", ""};  // a setting without a variable

// The refusal; empty if the variable is a setting; "ignored" if it is ignored.
std::string judged(std::string_view name, std::string_view value) {
  VariableCheck check(known);
  const auto checked = check.check(name, value);
  if (!checked) return checked.error();
  return check.ignored() == name ? "ignored" : check.ignored();
}

TEST(VariableCheckTest, AnUnknownVariableIsRefusedWithTheNearestOne) {
  EXPECT_EQ(judged("PORTAIL_AUDIENCE", "portail"), "");
  EXPECT_EQ(judged("PORTAIL_AUDIANCE", "portail"), "unknown setting PORTAIL_AUDIANCE; did you mean PORTAIL_AUDIENCE?");
  EXPECT_EQ(judged("PORTAIL_INSECURE", "1"), "unknown setting PORTAIL_INSECURE; did you mean PORTAIL_INSECURE_HTTP?");
  EXPECT_EQ(judged("portail_issuer", "x"), "unknown setting portail_issuer; did you mean PORTAIL_ISSUER?");
  EXPECT_EQ(judged("PORTAIL_NOTHING", "sesame"), "unknown setting PORTAIL_NOTHING");
  EXPECT_EQ(judged("PORTAIL_", "sesame"), "unknown setting PORTAIL_");
  EXPECT_EQ(judged("PORTAIL_PORT", "8443"), "unknown setting PORTAIL_PORT");  // not PORTAIL_STORE
  EXPECT_EQ(judged("OTHER", "8443"), "unknown setting OTHER");
  EXPECT_EQ(judged("PORTAIL_HOST", "10.0.0.1"), "unknown setting PORTAIL_HOST");
  EXPECT_EQ(judged("PORTAIL_NAME", "portail"), "unknown setting PORTAIL_NAME");
  EXPECT_EQ(judged("PORTAIL_PORT_", "8443"), "unknown setting PORTAIL_PORT_");
  EXPECT_EQ(judged("PORTAIL_PORT_HTTP", "8443"), "unknown setting PORTAIL_PORT_HTTP");
}

TEST(VariableCheckTest, LinksOfAnOrchestratorAreIgnored) {
  for (const auto& [name, value] : {
           // Kubernetes, for the services portail, portail-api and portail-port.
           std::pair{"PORTAIL_SERVICE_HOST", "10.0.0.1"},
           {"PORTAIL_SERVICE_PORT", "8443"},
           {"PORTAIL_SERVICE_PORT_HTTP", "8443"},
           {"PORTAIL_PORT", "tcp://10.0.0.1:8443"},
           {"PORTAIL_PORT_8443_TCP", "tcp://10.0.0.1:8443"},
           {"PORTAIL_PORT_8443_TCP_PROTO", "tcp"},
           {"PORTAIL_PORT_8443_TCP_PORT", "8443"},
           {"PORTAIL_PORT_8443_TCP_ADDR", "10.0.0.1"},
           {"PORTAIL_API_SERVICE_HOST", "fd00::1"},
           {"PORTAIL_API_PORT", "udp://10.0.0.1:53"},
           {"PORTAIL_PORT_PORT_80_SCTP", "sctp://10.0.0.1:80"},
           // Docker, for a container linked as portail.
           {"PORTAIL_NAME", "/web/portail"},
           {"PORTAIL_ENV_PATH", "/bin"},
       }) {
    EXPECT_EQ(judged(name, value), "ignored") << name;
  }
}

TEST(VariableCheckTest, AnEnvironmentIsJudgedByItsPrefix) {
  const std::array<const char*, 6> links{
      "PATH=/bin", "portail_note=1", "PORTAIL_ISSUER=a=b", "PORTAIL_PORT=tcp://[::1]:1", "PORTAIL_SERVICE_HOST=",
      nullptr};
  VariableCheck check(known);
  EXPECT_TRUE(check.check_environment(links.data()));
  EXPECT_EQ(check.ignored(), "PORTAIL_PORT, PORTAIL_SERVICE_HOST");
  const std::array<const char*, 2> misspelt{"PORTAIL_ISUER=sesame", nullptr};
  EXPECT_EQ(check.check_environment(misspelt.data()).error(),
            "unknown setting PORTAIL_ISUER; did you mean PORTAIL_ISSUER?");
  const std::array<const char*, 2> no_value{"PORTAIL_NOTE", nullptr};
  EXPECT_EQ(check.check_environment(no_value.data()).error(), "unknown setting PORTAIL_NOTE");
}

}  // namespace
}  // namespace portail
