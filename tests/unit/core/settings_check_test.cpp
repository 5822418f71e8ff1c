#include "core/settings_check.hpp"

#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

// The error, or nothing.
std::string fault_of(const SettingCheck& check) { return check ? "" : check.error(); }

std::string origin_fault(const std::string& origin) { return fault_of(check_origins("--allow-origin", {&origin, 1})); }

TEST(SettingsCheck, ATransportIsOneOfThreeWords) {
  EXPECT_EQ(read_transport("--transport", "direct"), Transport::direct);
  EXPECT_EQ(read_transport("--transport", "forwarded"), Transport::forwarded);
  EXPECT_EQ(read_transport("--transport", "loopback"), Transport::loopback);
  for (const std::string text : {"", "Direct", "direct ", "https"}) {
    const auto transport = read_transport("--transport", text);
    ASSERT_FALSE(transport) << text;
    EXPECT_EQ(transport.error(), "--transport is direct, forwarded or loopback, not " + text);
  }
}

TEST(SettingsCheck, ALeewayHasFiveMinutesAtMost) {
  EXPECT_EQ(fault_of(check_leeway("--leeway", 0)), "");
  EXPECT_EQ(fault_of(check_leeway("--leeway", 300)), "");
  EXPECT_EQ(fault_of(check_leeway("--leeway", -1)), "--leeway is 0 to 300 seconds, not -1");
  EXPECT_EQ(fault_of(check_leeway("PORTAIL_LEEWAY", 301)), "PORTAIL_LEEWAY is 0 to 300 seconds, not 301");
}

TEST(SettingsCheck, ASubjectClaimHasAName) {
  EXPECT_EQ(fault_of(check_subject_claim("--subject-claim", "oid")), "");
  EXPECT_EQ(fault_of(check_subject_claim("--subject-claim", "")), "--subject-claim is the name of a claim, not empty");
}

TEST(SettingsCheck, AnOriginIsASchemeAndAHost) {
  for (const char* origin : {"https://portal.example", "https://portal.example:8443", "http://localhost:4200",
                             "https://*.example", "https://*.portal.example"}) {
    EXPECT_EQ(origin_fault(origin), "") << origin;
  }
}

TEST(SettingsCheck, WhatIsNoOriginIsNamed) {
  for (const std::string origin :
       {"", "*", "portal.example", "://portal.example", "https://", "https://portal.example/",
        "https://portal.example/a", "http://*.example", "https://*", "https://portal.*", "https://*.*.example",
        "https://a*.example", "https://Portal.example", "https://portal.example:443", "https://*.portal.example."}) {
    EXPECT_EQ(origin_fault(origin), "--allow-origin takes https://portal.example or https://*.example, not " + origin);
  }
}

TEST(SettingsCheck, OneBadOriginAmongGoodOnesIsFound) {
  const std::string origins[] = {"https://a.example", "b.example", "https://c.example"};
  EXPECT_EQ(fault_of(check_origins("--allow-origin", origins)),
            "--allow-origin takes https://portal.example or https://*.example, not b.example");
  EXPECT_EQ(fault_of(check_origins("--allow-origin", {})), "");
}

}  // namespace
}  // namespace portail
