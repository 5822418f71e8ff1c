#include <string>

#include <gtest/gtest.h>

#include "core/http/target.hpp"

namespace portail {
namespace {

TEST(QueryValue, IsDecodedAsAspNetCoreDoes) {
  EXPECT_EQ(query_value("a=x+y%20z%2B%c3%a9", "a"), "x y z+é");
  EXPECT_EQ(query_value("a=b=c", "a"), "b=c");
  EXPECT_EQ(query_value("a=%zz%4%", "a"), "%zz%4%");
  EXPECT_EQ(query_value("&&a=1&", "a"), "1");
  EXPECT_EQ(query_value("=1", ""), "1");
}

// Returns the number; -1 if it is absent, -2 if it is not an integer. No case has these values.
std::int32_t number(std::string_view query) {
  const auto parameter = int32_parameter(query, "SkipCount");
  return parameter ? parameter->value_or(-1) : -2;
}

TEST(Int32Parameter, TakesIntegers) {
  EXPECT_EQ(number("x=1"), -1);
  EXPECT_EQ(number("skipCount=0"), 0);
  EXPECT_EQ(number("SkipCount=-0"), 0);
  EXPECT_EQ(number("SkipCount=10&SkipCount=x"), 10);
  EXPECT_EQ(number("SkipCount=007"), 7);
  EXPECT_EQ(number("SkipCount=%2B7"), 7);
  EXPECT_EQ(number("SkipCount=+7"), 7);  // " 7"
  EXPECT_EQ(number("SkipCount=%207%20"), 7);
  EXPECT_EQ(number("SkipCount=2147483647"), 2147483647);
  EXPECT_EQ(number("SkipCount=-2147483648"), -2147483647 - 1);
  EXPECT_EQ(number("SkipCount=0000000000000000000000000000000000000000012"), 12);
}

TEST(Int32Parameter, RefusesAnythingElse) {
  for (const std::string query : {"", "abc", "1.0", "1e3", "2147483648", "-2147483649", "99999999999999999999", "--1",
                                  "%2B-1", "-%2B1", "1+1", "0x10", "1,2", "%00", "1%00", "-", "%2B", "+", "\xd9\xa1"}) {
    EXPECT_EQ(number("SkipCount=" + query), -2) << query;
  }
  EXPECT_EQ(number("SkipCount"), -2);
  EXPECT_EQ(number("SkipCount=&SkipCount=1"), -2);
}

}  // namespace
}  // namespace portail
