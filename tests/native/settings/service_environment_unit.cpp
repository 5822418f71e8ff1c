#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/settings/service_environment.hpp"

namespace portail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// The values are those of systemd 257.
TEST(EnvironmentFileTest, ValuesAreWhatSystemdReads) {
  const EnvironmentFile file = parse_environment_file(
      "# A=comment\n"
      "  ; B=comment\n"
      "\n"
      "PLAIN=https://issuer.example\n"
      " SPACED = of two  words \t\n"
      "EMPTY=\n"
      "HASH=a#b # c\n"
      "SINGLE='a \"b\" \\ $'\n"
      "DOUBLE=\"a 'b' \\\" \\\\ \\$ \\x\" \n"
      "JOINED=\"a \"'b'c\n"
      "LATE=a\"b\"\n"
      "ESCAPED=a\\ b\\\\c\\\"\\ \n"
      "CONTINUED=a\\\nb\n"
      "QUOTED_LINES=\"a\nb\\\nc\"\n"
      "CARRIAGE=a\r\n"
      "PLAIN=again\n"
      "LAST='x'");
  EXPECT_THAT(file.faults, IsEmpty());
  EXPECT_THAT(
      file.variables,
      ElementsAre(Pair("PLAIN", "https://issuer.example"), Pair("SPACED", "of two  words"), Pair("EMPTY", ""),
                  Pair("HASH", "a#b # c"), Pair("SINGLE", "a \"b\" \\ $"), Pair("DOUBLE", "a 'b' \" \\ $ \\x"),
                  Pair("JOINED", "a bc"), Pair("LATE", "a\"b\""), Pair("ESCAPED", "a b\\c\" "), Pair("CONTINUED", "ab"),
                  Pair("QUOTED_LINES", "a\nbc"), Pair("CARRIAGE", "a"), Pair("PLAIN", "again"), Pair("LAST", "x")));
}

TEST(EnvironmentFileTest, ABadLineIsNamedWithoutItsText) {
  const EnvironmentFile file = parse_environment_file(
      "PORTAIL_ISSUER https://issuer.example\n"
      "export PORTAIL_ISSUER=https://issuer.example\n"
      "1A=b\n"
      "=b\n"
      "A=\"b\n"
      "c\n");
  EXPECT_THAT(file.variables, ElementsAre(Pair("A", "b\nc\n")));
  EXPECT_THAT(file.faults,
              ElementsAre("line 1: it is not NAME=VALUE", "line 2: before the = it must have the name of a variable",
                          "line 3: before the = it must have the name of a variable",
                          "line 4: before the = it must have the name of a variable", "line 5: its quote has no end"));
}

TEST(ServiceSettingsTest, AMisspeltVariableIsRefusedWithItsFile) {
  const std::string file = testing::TempDir() + "portail.env";
  std::ofstream(file) << "PORTAIL_ISSUER=https://issuer.example\nPORTAIL_AUDIANCE=portail\n";
  const auto read = read_service_settings(file);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, file + ": unknown setting PORTAIL_AUDIANCE; did you mean PORTAIL_AUDIENCE?");
}

TEST(EnvironmentFileTest, AnEmptyFileHasNothing) {
  EXPECT_THAT(parse_environment_file("").variables, IsEmpty());
  EXPECT_THAT(parse_environment_file("\n").faults, IsEmpty());
}

}  // namespace
}  // namespace portail
