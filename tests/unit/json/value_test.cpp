#include "core/json/value.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/json/reader.hpp"

namespace portail {
namespace {

TEST(JsonValue, HasOneType) {
  const auto document = parse_json(R"([null,true,-7,1.5,7e0,18446744073709551615,"é",[],{}])");
  ASSERT_TRUE(document);
  // One letter for each function that accepts the value.
  std::vector<std::string> types;
  const auto values = array_of(document->root());
  ASSERT_TRUE(values);
  for (const JsonValue value : *values) {
    types.emplace_back();
    if (value.is_null()) types.back() += '0';
    if (boolean_of(value)) types.back() += 'b';
    if (value.is_number()) types.back() += 'n';
    if (integer_of(value)) types.back() += 'i';
    if (number_of(value)) types.back() += 'd';
    if (string_of(value)) types.back() += 's';
    if (array_of(value)) types.back() += 'a';
    if (object_of(value)) types.back() += 'o';
  }
  EXPECT_EQ(types, (std::vector<std::string>{"0", "b", "nid", "nd", "nd", "nd", "s", "a", "o"}));
}

TEST(JsonObject, GivesItsMembersInTheOrderOfTheText) {
  const auto document = parse_json(R"({"b":1,"\u0061":{"c":[2]},"b":3})");
  ASSERT_TRUE(document);
  const auto object = object_of(document->root());
  ASSERT_TRUE(object);
  std::string names;
  for (const auto& [name, value] : *object) names.append(name).append(value.is_number() ? "#" : "");
  EXPECT_EQ(names, "b#ab#");
}

TEST(JsonArray, OfNoElementsIsEmpty) {
  const auto document = parse_json(R"([[],{}])");
  ASSERT_TRUE(document);
  const auto outer = array_of(document->root());
  const auto inner = array_of(*outer->begin());
  EXPECT_TRUE(inner->begin() == inner->end());
  const auto object = object_of(*++outer->begin());
  EXPECT_TRUE(object->begin() == object->end());
}

}  // namespace
}  // namespace portail
