#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/system/shared_caches.hpp"

namespace portail {
namespace {

constexpr Instant now{1'700'000'000'000'000};

std::shared_ptr<const VerifiedToken> verified(std::string subject) {
  Caller caller;
  caller.subject = std::move(subject);
  return std::make_shared<const VerifiedToken>(std::move(caller), TokenTimes{.expires = 2e9}, nullptr);
}

TEST(SharedTokenCache, HoldsAtMostItsCapacity) {
  for (const std::size_t capacity : {1U, 5U, 32U, 100U, 1000U}) {
    SharedTokenCache cache(Hash32{}, capacity);
    for (int i = 0; i < 3000; ++i) cache.insert(cache.id_of(std::to_string(i)), verified("x"), now);
    std::size_t held = 0;
    for (int i = 0; i < 3000; ++i) held += cache.find(cache.id_of(std::to_string(i))) ? 1 : 0;
    EXPECT_LE(held, capacity);
    EXPECT_GE(held * 2, capacity);
    EXPECT_EQ(cache.counts().hits, held);
    EXPECT_EQ(cache.counts().misses, 3000 - held);
  }
}

TEST(SharedTokenCache, ReturnsTheTokensOfEachThread) {
  SharedTokenCache cache(Hash32{}, 200);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&cache, thread] {
      for (int i = 0; i < 2000; ++i) {
        const std::string token = std::to_string(thread) + ' ' + std::to_string(i % 100);
        const Hash32 id = cache.id_of(token);
        if (const auto known = cache.find(id)) {
          EXPECT_EQ(known->caller.subject, token);
          if (i % 7 == 0) cache.erase(id);
        } else {
          cache.insert(id, verified(token), now);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.counts().hits + cache.counts().misses, 16'000U);
}

TEST(SharedTokenCache, HoldsAtMost8192RefusedTokens) {
  SharedTokenCache cache(Hash32{}, 10'000);
  const auto keys = std::make_shared<const KeySet>();
  const auto id_of = [&cache](int number) { return cache.id_of(std::to_string(number)); };
  constexpr int count = 200'000;  // fills every slot
  for (int i = 0; i < count; ++i) cache.insert_refused(id_of(i), {.reason = Reason::wrong_signature, .keys = keys});
  int held = 0;
  for (int i = 0; i < count; ++i) held += cache.find_refused(id_of(i)) ? 1 : 0;
  EXPECT_EQ(held, 8192);
}

TEST(SharedTokenCache, CachesRefusedTokensSeparately) {
  SharedTokenCache cache(Hash32{}, 200);
  const Hash32 id = cache.id_of("forged");
  EXPECT_FALSE(cache.find_refused(id));
  cache.insert_refused(id, {.reason = Reason::wrong_signature, .keys = std::make_shared<const KeySet>()});
  EXPECT_EQ(cache.find_refused(id).value().reason, Reason::wrong_signature);
  EXPECT_EQ(cache.find(id), nullptr);
}

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
