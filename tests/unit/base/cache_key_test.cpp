#include "core/base/cache_key.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

using Part = std::variant<std::uint64_t, std::string>;

CacheKey key_of_parts(CacheKeyKind kind, const std::vector<Part>& parts) {
  CacheKey key(kind);
  for (const Part& part : parts) {
    if (const auto* number = std::get_if<std::uint64_t>(&part)) {
      key.add(*number);
    } else {
      key.add(std::get<std::string>(part));
    }
  }
  return key;
}

// Every list of up to three of these parts, of two kinds. The texts contain the separators of parts.
TEST(CacheKey, IsThatOfItsKindAndPartsAlone) {
  const std::vector<Part> parts{std::uint64_t{0},      std::uint64_t{1},         std::uint64_t{'n'},
                                std::uint64_t{127},    std::uint64_t{128},       UINT64_MAX,
                                std::string(),         std::string("n"),         std::string("t"),
                                std::string("n\x01"),  std::string("t\x01n"),    std::string("\0", 1),
                                std::string("t\0", 2), std::string("t\0t\0", 4), std::string(127, 'a'),
                                std::string(128, 'a'), std::string(300, 'a')};
  std::vector<std::vector<Part>> lists{{}};
  for (std::size_t length = 1, begin = 0; length <= 3; ++length) {
    const std::size_t end = lists.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const Part& part : parts) {
        lists.push_back(lists[i]);
        lists.back().push_back(part);
      }
    }
    begin = end;
  }
  std::map<std::string, std::size_t, std::less<>> seen;
  std::size_t number = 0;
  for (const CacheKeyKind kind : {CacheKeyKind::mail_objects_page, CacheKeyKind::one_mail_object}) {
    for (const auto& list : lists) {
      const auto [other, is_new] = seen.emplace(key_of_parts(kind, list).bytes(), number++);
      EXPECT_TRUE(is_new) << number - 1 << " has the key of " << other->second;
    }
  }
  EXPECT_EQ(seen.size(), 2U * (1U + 17U + 17U * 17U + 17U * 17U * 17U));
}

TEST(CacheKey, OfTheSamePartsIsTheSame) {
  const auto make = [] { return CacheKey(CacheKeyKind::template_file).add(7).add("seven"); };
  EXPECT_EQ(make(), make());
  EXPECT_EQ(make().bytes(), "\x04n\x07t\x05seven");
  EXPECT_FALSE(make() == CacheKey(CacheKeyKind::bundle_list).add(7).add("seven"));
}

// The capacity of a string without heap memory.
TEST(CacheKey, OfAUsualPageIsShort) {
  EXPECT_EQ(CacheKey(CacheKeyKind::mail_objects_page).add(0).add(10).add(0).add(0).add("").bytes().size(), 11U);
}

}  // namespace
}  // namespace portail
