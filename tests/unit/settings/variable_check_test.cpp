#include "core/settings/variable_check.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace portail {
namespace {

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
