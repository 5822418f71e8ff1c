#include "core/json/reader.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

std::string_view fault_of(std::string_view text, const JsonLimits& limits = {}) {
  const auto document = parse_json(text, limits);
  return document ? "none" : description(document.error());
}

constexpr std::string_view malformed = description(JsonFault::malformed);
constexpr std::string_view bad_string = description(JsonFault::bad_string);
constexpr std::string_view bad_number = description(JsonFault::bad_number);
constexpr std::string_view not_utf8 = description(JsonFault::not_utf8);
constexpr std::string_view too_deep = description(JsonFault::too_deep);

std::string nested(int depth, std::string_view inner = "") {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(inner) + std::string(count, ']');
}

TEST(ParseJson, AcceptsEveryKindOfValue) {
  for (const auto text : {"{}", "[]", "\"\"", "0", "-0", "1.5e+3", "true", "false", "null", " \t\r\n[1 , 2]\n",
                          R"({"":[{"a":null}]})", R"(["\"\\\/\b\f\n\r\t\u00e9\uD834\uDD1E\u0000"])", "[\"\x7f\"]",
                          "[1E22]", "[123e65]", "[0e+1]", "[-1]", "[0.1e-7]", R"({"a":"b","a":"c"})"}) {
    EXPECT_EQ(fault_of(text), "none") << text;
  }
}

TEST(ParseJson, RefusesMalformedText) {
  for (const std::string_view text : {"{",
                                      "[",
                                      "[1",
                                      "]",
                                      "}",
                                      "[1,]",
                                      "[,1]",
                                      "[1,,2]",
                                      "[1 2]",
                                      "[1:2]",
                                      "{,}",
                                      R"({"a"})",
                                      R"({"a":})",
                                      R"({"a":1,})",
                                      R"({a:1})",
                                      R"({'a':1})",
                                      R"({1:1})",
                                      R"({"a" 1})",
                                      R"({"a":1 "b":2})",
                                      "truE",
                                      "nul",
                                      "True",
                                      "[nan]",
                                      "[Infinity]",
                                      "undefined",
                                      "[1]x",
                                      "[1][2]",
                                      "1 2",
                                      "{}{}",
                                      "// a\n1",
                                      "[1/**/]",
                                      "\"a",
                                      "['a']",
                                      "[1\f]",
                                      "\xc2\xa0[1]"}) {
    EXPECT_NE(fault_of(text), "none") << text;
  }
  EXPECT_EQ(fault_of("[1,]"), malformed);
  EXPECT_EQ(fault_of(std::string_view("[1]\0", 4)), malformed);
  EXPECT_EQ(fault_of(""), "no JSON value");
  EXPECT_EQ(fault_of(" \n"), "no JSON value");
}

TEST(ParseJson, RefusesMalformedNumbers) {
  for (const std::string_view text : {"01", "-01", "-", "+1", ".5", "1.", "1.e1", "1e", "1e+", "0x1", "1_000", "--1",
                                      "[-]", "[2.e3]", "[1eE2]", "[0.3e]", "[-.5]", "1a", "1e1000"}) {
    EXPECT_NE(fault_of(text), "none") << text;
  }
  EXPECT_EQ(fault_of("[01]"), bad_number);
}

TEST(ParseJson, RefusesBadStrings) {
  for (const std::string_view text :
       {R"("\x")", R"("\u12")", R"("\u12G4")", R"("\uD834")", R"("\uDD1E")", R"("\uDD1E\uD834")", R"("\uD834x")",
        R"("\uD834\n")", R"("\uD834\uD834")", R"({"\uD834":1})", "\"a\tb\"", "\"a\nb\""}) {
    EXPECT_EQ(fault_of(text), bad_string) << text;
  }
  EXPECT_EQ(fault_of(std::string_view("\"\0\"", 3)), bad_string);
}

TEST(ParseJson, RefusesInvalidUtf8) {
  EXPECT_EQ(fault_of("[\"caf\xe9\"]"), not_utf8);
  EXPECT_EQ(fault_of("[\"\xed\xa0\x80\"]"), not_utf8);  // an encoded surrogate
  EXPECT_EQ(fault_of("[\"\xc0\xaf\"]"), not_utf8);
  EXPECT_EQ(fault_of("\xef\xbb\xbf{}"), "a byte order mark before the JSON value");
  EXPECT_NE(fault_of(std::string_view("\xff\xfe[\0]\0", 6)), "none");  // UTF-16
}

TEST(ParseJson, CountsDepthFromTheOutermost) {
  EXPECT_EQ(fault_of(nested(64)), "none");
  EXPECT_EQ(fault_of(nested(64, "1")), "none");
  EXPECT_EQ(fault_of(nested(65)), too_deep);
  EXPECT_EQ(fault_of(nested(65, "1")), too_deep);
  EXPECT_EQ(fault_of(nested(100'000)), too_deep);
  EXPECT_NE(fault_of(std::string(100'000, '[')), "none");
  EXPECT_EQ(fault_of("1", {.max_depth = 1}), "none");
  EXPECT_EQ(fault_of("[1]", {.max_depth = 1}), "none");
  EXPECT_EQ(fault_of(R"({"a":{}})", {.max_depth = 1}), too_deep);
  EXPECT_EQ(fault_of(R"({"a":{"b":1}})", {.max_depth = 1}), too_deep);
  EXPECT_EQ(fault_of("[1,2,{\"a\":[]}]", {.max_depth = 2}), too_deep);
}

TEST(RepeatedName, IsOfTheMembersOfTheObjectItself) {
  const auto repeated = [](std::string_view json) -> std::string {
    const auto document = parse_json(json);
    return std::string(repeated_name(*object_of(document->root())).value_or("none"));
  };
  EXPECT_EQ(repeated("{}"), "none");
  EXPECT_EQ(repeated(R"({"a":{"b":1,"b":2},"b":1,"A":1})"), "none");
  EXPECT_EQ(repeated(R"({"a":1,"b":1,"\u0061":2})"), "a");
}

TEST(ParseJson, RefusesDuplicateNamesIfRequested) {
  constexpr JsonLimits unique{.unique_names = true};
  constexpr std::string_view duplicate = "a JSON object with the same name twice";
  EXPECT_EQ(fault_of(R"({"a":1,"b":{"a":2}})", unique), "none");
  EXPECT_EQ(fault_of(R"({"a":1,"A":2})", unique), "none");
  EXPECT_EQ(fault_of(R"({"a":1,"b":2,"a":3})", unique), duplicate);
  EXPECT_EQ(fault_of(R"({"alg":1,"\u0061lg":2})", unique), duplicate);
  EXPECT_EQ(fault_of(R"([{"x":[{"":1,"":2}]}])", unique), duplicate);
}

TEST(ParseJson, RefusesTextOverTheLimit) {
  EXPECT_EQ(fault_of("[1]", {.max_size = 3}), "none");
  EXPECT_EQ(fault_of("[1] ", {.max_size = 3}), "JSON text too large");
}

TEST(ParseJson, AcceptsIntegersBeyond64Bits) {
  const auto document = parse_json(
      R"({"12345678901234567890123":[12345678901234567890123456789, -99999999999999999999, 1, 99999999999999999999],"b":"\"1"})");
  ASSERT_TRUE(document);
  const auto root = object_of(document->root());
  ASSERT_TRUE(root);
  const auto list = array_of(*member(*root, "12345678901234567890123"));
  ASSERT_TRUE(list);
  const std::vector items(list->begin(), list->end());
  ASSERT_EQ(items.size(), 4);
  EXPECT_EQ(number_of(items[0]), 12345678901234567890123456789.0);
  EXPECT_EQ(number_of(items[1]), -99999999999999999999.0);
  EXPECT_EQ(number_of(items[3]), 99999999999999999999.0);
  EXPECT_EQ(integer_of(items[2]), 1);
  EXPECT_EQ(string_of(*member(*root, "b")), "\"1");
  EXPECT_NE(fault_of("[12345678901234567890123456789,01]"), "none");
  EXPECT_NE(fault_of("[012345678901234567890123456789]"), "none");
}

TEST(ParseJson, AcceptsIntegersOfAnyLength) {
  for (const std::size_t digits : {308U, 309U, 310U, 1000U, 60'000U}) {
    const std::string number(digits, '9');
    const auto document = parse_json("[" + number + ",-" + number + ",1]");
    ASSERT_TRUE(document) << digits;
    const auto list = array_of(document->root());
    ASSERT_TRUE(list);
    const std::vector items(list->begin(), list->end());
    const double expected = digits == 308 ? 1e308 : std::numeric_limits<double>::max();
    EXPECT_EQ(number_of(items[0]), expected) << digits;
    EXPECT_EQ(number_of(items[1]), -expected) << digits;
    EXPECT_EQ(integer_of(items[0]), std::nullopt);
    EXPECT_EQ(integer_of(items[2]), 1);
    for (const std::string& wrong :
         {"0" + number, "-0" + number, "+" + number, number + ".", number + "e", number + "-", number + " " + number}) {
      EXPECT_NE(fault_of(wrong), "none") << digits;
    }
    for (const std::string_view end : {".5", "e0"}) {
      EXPECT_EQ(fault_of(number + std::string(end)),
                digits == 308 ? "none" : "a malformed JSON number, or one out of range")
          << digits << end;
    }
  }
}

TEST(JsonDocument, KeepsItsElementsWhenMoved) {
  auto document = parse_json(R"(["déposé"])");
  ASSERT_TRUE(document);
  const auto text = string_of(*array_of(document->root())->begin());
  const JsonDocument moved = std::move(*document);
  EXPECT_EQ(text, "déposé");
  EXPECT_TRUE(array_of(moved.root()));
}

TEST(JsonDocument, FindsMembers) {
  const auto document = parse_json(R"({"TypeAffectation":"Rien","x":1,"typeAFFECTATION":2,"\u0078y":null})");
  ASSERT_TRUE(document);
  const auto root = object_of(document->root());
  ASSERT_TRUE(root);
  const FoundMember found = find_member_ignoring_case(*root, "typeAffectation");
  EXPECT_EQ(found.count, 2U);
  ASSERT_TRUE(found.value);
  EXPECT_EQ(string_of(*found.value), "Rien");
  EXPECT_EQ(find_member_ignoring_case(*root, "y").count, 0U);
  EXPECT_FALSE(find_member_ignoring_case(*root, "y").value);
  EXPECT_TRUE(member(*root, "xy"));
  EXPECT_FALSE(member(*root, "typeAffectation"));
}

TEST(JsonDocument, GivesValuesOfTheirTypeOnly) {
  const auto document = parse_json(R"({"s":"é","b":true,"i":-7,"d":1.0,"n":null,"a":[],"o":{}})");
  ASSERT_TRUE(document);
  const auto root = *object_of(document->root());
  const auto at = [&](std::string_view name) { return *member(root, name); };
  EXPECT_EQ(string_of(at("s")), "é");
  EXPECT_EQ(boolean_of(at("b")), true);
  EXPECT_EQ(integer_of(at("i")), -7);
  EXPECT_TRUE(array_of(at("a")));
  EXPECT_TRUE(object_of(at("o")));
  for (const auto name : {"s", "i", "d", "n", "a", "o"}) EXPECT_FALSE(boolean_of(at(name))) << name;
  for (const auto name : {"s", "b", "d", "n", "a", "o"}) EXPECT_FALSE(integer_of(at(name))) << name;
  for (const auto name : {"b", "i", "d", "n", "a", "o"}) EXPECT_FALSE(string_of(at(name))) << name;
}

}  // namespace
}  // namespace portail
