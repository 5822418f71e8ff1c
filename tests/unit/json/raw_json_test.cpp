#include "core/json/raw_json.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(RawMember, GivesTheTextToTheLetter) {
  constexpr std::string_view bundle =
      R"({ "id" : "L-1", "montantOpportunite" : 150000.00 , "pieces":[{"id":"}","x":[1]},[]], "ok":true,"last":-1e5})";
  EXPECT_EQ(raw_member(bundle, "montantOpportunite"), "150000.00");
  EXPECT_EQ(raw_member(bundle, "id"), R"("L-1")");
  EXPECT_EQ(raw_member(bundle, "pieces"), R"([{"id":"}","x":[1]},[]])");
  EXPECT_EQ(raw_member(bundle, "ok"), "true");
  EXPECT_EQ(raw_member(bundle, "last"), "-1e5");
}

TEST(RawMember, SearchesTheOutermostObjectOnly) {
  EXPECT_EQ(raw_member(R"({"a":{"b":1},"c":"\"b\":2"})", "b"), std::nullopt);
  EXPECT_EQ(raw_member(R"({})", "b"), std::nullopt);
  EXPECT_EQ(raw_member(R"({"B":1})", "b"), std::nullopt);
}

TEST(RawMember, ComparesNamesAfterUnescaping) {
  EXPECT_EQ(raw_member(R"({"mont\u0061nt":1.0})", "montant"), "1.0");
  EXPECT_EQ(raw_member(R"({"\u00e9\u20AC\uD834\uDD1E":1})", "é€𝄞"), "1");
  EXPECT_EQ(raw_member(R"({"\"\\\/\b\f\n\r\t":1})", "\"\\/\b\f\n\r\t"), "1");
}

TEST(RawMember, GivesTheLastOfSeveral) { EXPECT_EQ(raw_member(R"({"a":1,"b":2,"a":3})", "a"), "3"); }

TEST(RawMember, StaysInsideATextThatIsNoObject) {
  for (const std::string_view text : {"", " ", "[", "{", "{\"", "{\"a", "{\"a\\", "{\"a\"", "{\"a\":", "{\"a\":[",
                                      "{\"a\":\"\\", "{\"\\u12", "{\"\\uD834\":1", "{\"a\":1", "}"}) {
    EXPECT_LE(raw_member(text, "a").value_or("").size(), text.size()) << text;
  }
}

TEST(RawMembers, AreThoseOfTheTextInItsOrder) {
  const auto members = raw_members(R"( {"b" : 1.50,"\u0061":{"x":[]}, "b":null} )");
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].name, "b");
  EXPECT_EQ(members[0].value, "1.50");
  EXPECT_EQ(members[1].name, "a");
  EXPECT_EQ(members[1].value, R"({"x":[]})");
  EXPECT_EQ(members[2].name, "b");
  EXPECT_EQ(members[2].value, "null");
  EXPECT_TRUE(raw_members("{}").empty());
  EXPECT_TRUE(raw_members("[1]").empty());
}

TEST(RawItems, AreThoseOfTheTextInItsOrder) {
  EXPECT_EQ(raw_items(R"( [ 1e0 ,[2,3],"]", {"a":[]} ] )"),
            (std::vector<std::string_view>{"1e0", "[2,3]", R"("]")", R"({"a":[]})"}));
  EXPECT_TRUE(raw_items("[ ]").empty());
  EXPECT_TRUE(raw_items("{}").empty());
  for (const std::string_view text : {"", " ", "[", "[1", "[1,", "[,", "[}", "[\"", "[[", "]"}) {
    for (const std::string_view item : raw_items(text)) EXPECT_LE(item.size(), text.size()) << text;
  }
}

TEST(RawString, IsUnescaped) {
  EXPECT_EQ(raw_string(R"("\u00e9\n\"")"), "é\n\"");
  EXPECT_EQ(raw_string("\"\""), "");
  EXPECT_EQ(raw_string(""), "");
}

}  // namespace
}  // namespace portail
