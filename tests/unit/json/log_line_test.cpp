#include <string>

#include <gtest/gtest.h>

#include "core/json/writer.hpp"

namespace portail {
namespace {

TEST(LogLine, HasTimeLevelAndMembers) {
  EXPECT_EQ(log_line({1'705'311'000'123'456}, "info", R"(,"event":"access","status":200)"),
            R"({"time":"2024-01-15T09:30:00.123456Z","level":"info","event":"access","status":200})");
}

// A client chooses the identifier of a bundle: it must neither end the line nor change how a terminal shows it.
TEST(LogLine, IsOneLineOfPrintableJson) {
  std::string members = ",\"entity\":";
  append_log_string(members, "L-1\n{\"forged\":1}\u202e\u009b\x1b[2J");
  EXPECT_EQ(log_line({0}, "info", members), R"({"time":"1970-01-01T00:00:00.000000Z","level":"info","entity":)"
                                            R"("L-1\n{\"forged\":1}\u202e\u009b\u001b[2J"})");
}

TEST(LogLine, ReplacesWhatIsNotUtf8) {
  std::string text;
  append_log_string(text, "\xc3(");
  EXPECT_EQ(text, R"("?(")");
  text.clear();
  append_log_string(text, "é");
  EXPECT_EQ(text, "\"é\"");
}

}  // namespace
}  // namespace portail
