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
  const auto known = cache.find(cache.id_of(token));
  return known ? known->caller.subject : "nothing";
}

TEST(TokenCache, FindsWhatItKeepsUntilItIsDropped) {
  BoundedTokenCache cache(key, 100);
  EXPECT_EQ(found(cache, "a.b.c"), "nothing");
  cache.keep(cache.id_of("a.b.c"), verified("one"), sample_now);
  cache.keep(cache.id_of("a.b.d"), verified("two"), sample_now);
  EXPECT_EQ(found(cache, "a.b.c"), "one");
  EXPECT_EQ(found(cache, "a.b.d"), "two");
  cache.keep(cache.id_of("a.b.c"), verified("three"), sample_now);
  EXPECT_EQ(found(cache, "a.b.c"), "three");
  cache.drop(cache.id_of("a.b.c"));
  cache.drop(cache.id_of("a.b.e"));
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
    for (int i = 0; i < 1000; ++i) cache.keep(cache.id_of(std::to_string(i)), verified("x"), sample_now);
    std::size_t held = 0;
    for (int i = 0; i < 1000; ++i) held += found(cache, std::to_string(i)) == "x" ? 1 : 0;
    EXPECT_GE(held, 1U);
    EXPECT_LE(held, capacity);
  }
}

TEST(TokenCache, ForgetsTheOneThatWasNotAskedForLongest) {
  BoundedTokenCache cache(key, 3);
  for (const char* token : {"1", "2", "3"}) cache.keep(cache.id_of(token), verified(token), sample_now);
  EXPECT_EQ(found(cache, "1"), "1");
  cache.keep(cache.id_of("4"), verified("4"), sample_now);
  EXPECT_EQ(found(cache, "2"), "nothing");
  EXPECT_EQ(found(cache, "1"), "1");
  EXPECT_EQ(found(cache, "3"), "3");
  EXPECT_EQ(found(cache, "4"), "4");
}

TEST(TokenCache, ForgetsAnExpiredOneFirst) {
  BoundedTokenCache cache(key, 2);
  cache.keep(cache.id_of("long"), verified("long"), sample_now);
  cache.keep(cache.id_of("short"), verified("short", 1'700'000'300), sample_now);
  cache.keep(cache.id_of("new"), verified("new"), {1'700'000'301'000'000});
  EXPECT_EQ(found(cache, "short"), "nothing");
  EXPECT_EQ(found(cache, "long"), "long");
  EXPECT_EQ(found(cache, "new"), "new");
}

const SharedKeySet some_keys = std::make_shared<const KeySet>();

TEST(TokenCache, RefusedTokensAreBoundedAndTakeNoPlaceOfAVerifiedOne) {
  BoundedTokenCache cache(key, 1000);
  cache.keep(cache.id_of("good"), verified("good"), sample_now);
  for (int i = 0; i < 5000; ++i) {
    const Hash32 id = cache.id_of(std::to_string(i));
    cache.keep_refused(id, {.why = "forged", .keys = some_keys});
    ASSERT_EQ(cache.find_refused(id).value().why, "forged");
  }
  std::size_t held = 0;
  for (int i = 0; i < 5000; ++i) held += cache.find_refused(cache.id_of(std::to_string(i))) ? 1 : 0;
  EXPECT_LE(held, 256U);
  EXPECT_GE(held, 200U);
  EXPECT_EQ(found(cache, "good"), "good");
  EXPECT_FALSE(cache.find_refused(cache.id_of("good")));
}

TEST(TokenCache, KeepsNoTokenOfMoreThanEightKibibytes) {
  BoundedTokenCache cache(key, 10);
  const auto with_roles = [](std::size_t count) {
    Caller caller;
    caller.subject = "many";
    caller.roles.assign(count, "r");
    return std::make_shared<const VerifiedToken>(std::move(caller), TokenTimes{.expires = 2e9}, nullptr);
  };
  EXPECT_GT(memory_of(*with_roles(2000)), 2000 * sizeof(std::string));
  cache.keep(cache.id_of("a"), with_roles(100), sample_now);
  EXPECT_EQ(found(cache, "a"), "many");
  cache.keep(cache.id_of("b"), with_roles(2000), sample_now);
  EXPECT_EQ(found(cache, "b"), "nothing");
  cache.keep(cache.id_of("a"), with_roles(2000), sample_now);
  EXPECT_EQ(found(cache, "a"), "nothing");
}

}  // namespace
}  // namespace portail
