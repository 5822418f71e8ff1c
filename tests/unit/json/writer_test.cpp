#include "core/json/writer.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(JsonString, KeepsUtf8) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("Prêt immobilier — 100 €, 𝄞"), R"("Prêt immobilier — 100 €, 𝄞")");
  EXPECT_EQ(json_string("a/b <c> & 'd' \x7f"), "\"a/b <c> & 'd' \x7f\"");
}

TEST(JsonString, EscapesQuoteBackslashAndControls) {
  EXPECT_EQ(json_string(R"(C:\dir "x")"), R"("C:\\dir \"x\"")");
  EXPECT_EQ(json_string("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(json_string(std::string_view("\0\x01\x0b\x1f", 4)), R"("\u0000\u0001\u000b\u001f")");
}

TEST(JsonString, EscapesAtEveryPositionOfALongString) {
  for (std::size_t position = 0; position < 40; ++position) {
    std::string text(40, 'x');
    text[position] = '\n';
    std::string expected = "\"" + std::string(position, 'x') + "\\n" + std::string(39 - position, 'x') + "\"";
    EXPECT_EQ(json_string(text), expected);
    text[position] = '\xc3';  // no byte beyond ASCII is escaped
    EXPECT_EQ(json_string(text), "\"" + text + "\"");
  }
}

TEST(JsonInteger, WritesTheWholeRange) {
  std::string out = "x";
  append_json_integer(out, 0);
  append_json_integer(out, std::numeric_limits<std::int64_t>::min());
  append_json_integer(out, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(out, "x0-92233720368547758089223372036854775807");
}

TEST(JsonWriter, PlacesCommas) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object().name("totalCount").integer(2).name("items").begin_array();
  writer.begin_object().name("id").integer(1).name("ok").boolean(true).name("no").boolean(false).end_object();
  writer.begin_object().end_object();
  writer.begin_array().end_array();
  writer.string("a").null().raw("150000.00");
  writer.end_array().name("motif").null().end_object();
  EXPECT_EQ(out, R"({"totalCount":2,"items":[{"id":1,"ok":true,"no":false},{},[],"a",null,150000.00],"motif":null})");
}

TEST(JsonWriter, WritesNullForAnAbsentString) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_array();
  writer.string_or_null(std::optional<std::string>("é")).string_or_null(std::optional<std::string>());
  writer.end_array();
  EXPECT_EQ(out, R"(["é",null])");
}

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
