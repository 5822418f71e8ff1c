#include "core/auth/token_cache.hpp"

#include <gtest/gtest.h>

#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

constexpr Hash32 key{std::byte{7}};

std::shared_ptr<const VerifiedToken> verified(std::string subject, double expires = 2e9) {
  Caller caller;
  caller.subject = std::move(subject);
  return std::make_shared<const VerifiedToken>(std::move(caller), TokenTimes{.expires = expires}, nullptr);
}

std::string found(TokenCache& cache, std::string_view token) {
  const auto cached = cache.find(cache.id_of(token));
  return cached ? cached->caller.subject : "nothing";
}

TEST(TokenCache, FindsTokensUntilTheyAreErased) {
  BoundedTokenCache cache(key, 100);
  EXPECT_EQ(found(cache, "a.b.c"), "nothing");
  cache.insert(cache.id_of("a.b.c"), verified("one"), sample_now);
  cache.insert(cache.id_of("a.b.d"), verified("two"), sample_now);
  EXPECT_EQ(found(cache, "a.b.c"), "one");
  EXPECT_EQ(found(cache, "a.b.d"), "two");
  cache.insert(cache.id_of("a.b.c"), verified("three"), sample_now);
  EXPECT_EQ(found(cache, "a.b.c"), "three");
  cache.erase(cache.id_of("a.b.c"));
  cache.erase(cache.id_of("a.b.e"));
  EXPECT_EQ(found(cache, "a.b.c"), "nothing");
  EXPECT_EQ(found(cache, "a.b.d"), "two");
}

TEST(TokenCache, NamesTheWholeTokenUnderItsOwnKey) {
  const BoundedTokenCache cache(key, 1);
  const BoundedTokenCache other(Hash32{std::byte{8}}, 1);
  const std::string token(8000, 'x');
  EXPECT_EQ(cache.id_of(token), cache.id_of(token));
  EXPECT_NE(cache.id_of(token), cache.id_of(std::string(7999, 'x') + 'y'));
  EXPECT_NE(cache.id_of(token), cache.id_of('y' + std::string(7999, 'x')));
  EXPECT_NE(cache.id_of(token), other.id_of(token));
}

TEST(TokenCache, IsBounded) {
  for (const std::size_t capacity : {1U, 3U, 8U, 20U, 100U}) {
    BoundedTokenCache cache(key, capacity);
    for (int i = 0; i < 1000; ++i) cache.insert(cache.id_of(std::to_string(i)), verified("x"), sample_now);
    std::size_t hits = 0;
    for (int i = 0; i < 1000; ++i) hits += found(cache, std::to_string(i)) == "x" ? 1 : 0;
    EXPECT_GE(hits, 1U);
    EXPECT_LE(hits, capacity);
  }
}

TEST(TokenCache, EvictsTheLeastRecentlyUsedToken) {
  BoundedTokenCache cache(key, 3);
  for (const char* token : {"1", "2", "3"}) cache.insert(cache.id_of(token), verified(token), sample_now);
  EXPECT_EQ(found(cache, "1"), "1");
  cache.insert(cache.id_of("4"), verified("4"), sample_now);
  EXPECT_EQ(found(cache, "2"), "nothing");
  EXPECT_EQ(found(cache, "1"), "1");
  EXPECT_EQ(found(cache, "3"), "3");
  EXPECT_EQ(found(cache, "4"), "4");
}

TEST(TokenCache, EvictsAnExpiredTokenFirst) {
  BoundedTokenCache cache(key, 2);
  cache.insert(cache.id_of("long"), verified("long"), sample_now);
  cache.insert(cache.id_of("short"), verified("short", 1'700'000'300), sample_now);
  cache.insert(cache.id_of("new"), verified("new"), {1'700'000'301'000'000});
  EXPECT_EQ(found(cache, "short"), "nothing");
  EXPECT_EQ(found(cache, "long"), "long");
  EXPECT_EQ(found(cache, "new"), "new");
}

const SharedKeySet some_keys = std::make_shared<const KeySet>();

TEST(TokenCache, RefusedTokensAreBoundedAndEvictNoVerifiedToken) {
  BoundedTokenCache cache(key, 1000);
  cache.insert(cache.id_of("good"), verified("good"), sample_now);
  for (int i = 0; i < 5000; ++i) {
    const Hash32 id = cache.id_of(std::to_string(i));
    cache.insert_refused(id, {.reason = Reason::wrong_signature, .keys = some_keys});
    ASSERT_EQ(cache.find_refused(id).value().reason, Reason::wrong_signature);
  }
  std::size_t hits = 0;
  for (int i = 0; i < 5000; ++i) hits += cache.find_refused(cache.id_of(std::to_string(i))) ? 1 : 0;
  EXPECT_LE(hits, 256U);
  EXPECT_GE(hits, 200U);
  EXPECT_EQ(found(cache, "good"), "good");
  EXPECT_FALSE(cache.find_refused(cache.id_of("good")));
}

TEST(TokenCache, CachesNoTokenOverEightKibibytes) {
  BoundedTokenCache cache(key, 10);
  const auto with_roles = [](std::size_t count) {
    Caller caller;
    caller.subject = "many";
    caller.roles.assign(count, "r");
    return std::make_shared<const VerifiedToken>(std::move(caller), TokenTimes{.expires = 2e9}, nullptr);
  };
  EXPECT_GT(memory_size(*with_roles(2000)), 2000 * sizeof(std::string));
  cache.insert(cache.id_of("a"), with_roles(100), sample_now);
  EXPECT_EQ(found(cache, "a"), "many");
  cache.insert(cache.id_of("b"), with_roles(2000), sample_now);
  EXPECT_EQ(found(cache, "b"), "nothing");
  cache.insert(cache.id_of("a"), with_roles(2000), sample_now);
  EXPECT_EQ(found(cache, "a"), "nothing");
}

}  // namespace
}  // namespace portail
