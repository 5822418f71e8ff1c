#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "native/system/pseudonyms.hpp"

namespace portail {
namespace {

std::string pseudonym(Pseudonyms& pseudonyms, std::string_view subject) {
  std::string text = "=";
  pseudonyms.append(text, subject);
  return text;
}

// The first half of RFC 4231's test case 2.
TEST(Pseudonyms, AreTheHmacOfTheSubject) {
  Pseudonyms pseudonyms("Jefe");
  EXPECT_EQ(pseudonym(pseudonyms, "what do ya want for nothing?"), "=5bdcc146bf60754e6a042426089575c7");
  EXPECT_EQ(pseudonym(pseudonyms, "what do ya want for nothing?"), "=5bdcc146bf60754e6a042426089575c7");
  EXPECT_NE(pseudonym(pseudonyms, "what do ya want for nothing"), "=5bdcc146bf60754e6a042426089575c7");
}

// More subjects than the cache has slots, and one too long to cache; each is requested twice.
TEST(Pseudonyms, AreEqualInEveryThread) {
  Pseudonyms pseudonyms("key");
  const auto ask_for_all = [&] {
    for (int i = 0; i < 1000; ++i) {
      const std::string subject = i == 500 ? std::string(10'000, 's') : "subject " + std::to_string(i);
      Pseudonyms fresh("key");
      const std::string expected = pseudonym(fresh, subject);
      EXPECT_EQ(pseudonym(pseudonyms, subject), expected);
      EXPECT_EQ(pseudonym(pseudonyms, subject), expected);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(ask_for_all);
}

}  // namespace
}  // namespace portail
