#include "core/api/answer_cache.hpp"

#include "core/storage/key.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

CacheKey question_key(std::string_view question) { return CacheKey(CacheKeyKind::mail_objects_page).add(question); }

CachedAnswer cached_answer(std::string_view question, std::string_view value, std::string body) {
  const std::vector<Value> values{value, std::nullopt};
  return {.key = question_key(question),
          .sources = std::make_shared<const StoredValues>(values),
          .body = std::move(body),
          .tag = "\"t\""};
}

TEST(StoredValues, AreEqualToTheSameValuesOnly) {
  const std::vector<Value> values{"a", std::nullopt, ""};
  const StoredValues stored(values);
  EXPECT_TRUE(stored.equal(values));
  EXPECT_FALSE(stored.equal(std::vector<Value>{"b", std::nullopt, ""}));
  EXPECT_FALSE(stored.equal(std::vector<Value>{"a", "", ""}));
  EXPECT_FALSE(stored.equal(std::vector<Value>{"a", std::nullopt, std::nullopt}));
  EXPECT_FALSE(stored.equal(std::vector<Value>{"a", std::nullopt}));
  EXPECT_FALSE(stored.equal(std::vector<Value>{"", std::nullopt, "a"}));
}

TEST(StoredValues, AreNotEqualWhereAnyByteOfALongValueDiffers) {
  std::string text(3 * 32 + 7, 'a');
  const StoredValues stored(std::vector<Value>{text});
  EXPECT_TRUE(stored.equal(std::vector<Value>{text}));
  for (char& byte : text) {
    byte = 'b';
    EXPECT_FALSE(stored.equal(std::vector<Value>{text})) << &byte - text.data();
    byte = 'a';
  }
  EXPECT_FALSE(stored.equal(std::vector<Value>{std::string_view(text).substr(1)}));
  EXPECT_FALSE(stored.equal(std::vector<Value>{text + 'a'}));
}

TEST(BoundedAnswerCache, HasTheLastAnswerToAQuestion) {
  BoundedAnswerCache cache;
  EXPECT_EQ(cache.find(question_key("page 0 10")), nullptr);
  cache.put(cached_answer("page 0 10", "v1", "first"));
  cache.put(cached_answer("page 0 10", "v2", "second"));
  cache.put(cached_answer("page 0 20", "v2", "other"));
  EXPECT_EQ(cache.find(question_key("page 0 10"))->body, "second");
  EXPECT_EQ(cache.size(), 2U);
}

TEST(BoundedAnswerCache, KeepsOneCopyOfValuesThatAreEqual) {
  BoundedAnswerCache cache;
  cache.put(cached_answer("one", "the same", "1"));
  cache.put(cached_answer("two", "the same", "2"));
  cache.put(cached_answer("three", "another", "3"));
  EXPECT_EQ(cache.find(question_key("one"))->sources, cache.find(question_key("two"))->sources);
  EXPECT_NE(cache.find(question_key("one"))->sources, cache.find(question_key("three"))->sources);
}

TEST(BoundedAnswerCache, EvictsTheLeastRecentlyUsed) {
  BoundedAnswerCache cache;
  for (int i = 0; i < 64; ++i) cache.put(cached_answer(std::to_string(i), "v", "b"));
  EXPECT_NE(cache.find(question_key("0")), nullptr);
  cache.put(cached_answer("64", "v", "b"));
  EXPECT_EQ(cache.size(), 64U);
  EXPECT_NE(cache.find(question_key("0")), nullptr);
  EXPECT_EQ(cache.find(question_key("1")), nullptr);
  EXPECT_NE(cache.find(question_key("2")), nullptr);
}

TEST(BoundedAnswerCache, HoldsAMebibyteAtMost) {
  BoundedAnswerCache cache;
  for (int i = 0; i < 200; ++i) {
    cache.put(cached_answer(std::to_string(i), std::string(30'000, 'v'),
                            std::string(static_cast<std::size_t>(i) * 500, 'b')));
    ASSERT_LE(cache.bytes(), 1024U * 1024U);
  }
  EXPECT_GT(cache.bytes(), 900U * 1024U);
  EXPECT_LT(cache.size(), 20U);
}

TEST(BoundedAnswerCache, RejectsAnAnswerOfAnEighthOfTheCapacity) {
  BoundedAnswerCache cache;
  cache.put(cached_answer("large", "v", "small before"));
  cache.put(cached_answer("large", "v", std::string(128 * 1024, 'b')));
  EXPECT_EQ(cache.find(question_key("large")), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
}

class CachedAnswers : public PortalTest {
 protected:
  CachedAnswers() { test.context.answer_cache = &answers; }

  // Returns the answer to `target` without a cache.
  Answer uncached(std::string_view target) {
    test.context.answer_cache = nullptr;
    Answer answer = get(target, client);
    test.context.answer_cache = &answers;
    return answer;
  }
  // Changes the last `from` of a stored value to `to`.
  void change(std::string_view key, char from, char to) {
    std::string value = stored(key);
    const std::size_t position = value.rfind(from);
    ASSERT_NE(position, std::string::npos);
    value[position] = to;
    const Change change{key, value};
    ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))).has_value());
  }
  std::string stored(std::string_view key) {
    const auto session = run_ready(memory.open(test.context));
    Value value;
    EXPECT_TRUE(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))).has_value());
    return std::string(value.value_or(""));
  }

  BoundedAnswerCache answers;
};

TEST_F(CachedAnswers, AreThoseOfTheirOwnQuestion) {
  for (int round = 0; round < 2; ++round) {
    for (const std::string_view target :
         {"/api/app/objet-courrier", "/api/app/objet-courrier?MaxResultCount=1",
          "/api/app/objet-courrier?SkipCount=1&MaxResultCount=1", "/api/app/objet-courrier?SkipCount=1",
          "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1", "/api/app/objet-courrier/12"}) {
      const Answer expected = uncached(target);
      const Answer answer = get(target, client);
      EXPECT_EQ(answer.status, 200) << target;
      EXPECT_EQ(answer.body, expected.body) << target;
      EXPECT_EQ(answer.header("ETag"), expected.header("ETag")) << target;
    }
  }
  EXPECT_EQ(answers.size(), 7U);
}

// In every source value, with the length unchanged.
TEST_F(CachedAnswers, DoNotOutliveAChangedByte) {
  const std::string key = catalogue_key(0);
  const Answer before = get("/api/app/objet-courrier", client);
  get("/api/app/objet-courrier", client);
  change(key, 'S', 'T');  // AVIS
  const Answer after = get("/api/app/objet-courrier", client);
  EXPECT_NE(before.body.find("AVIS"), std::string::npos);
  EXPECT_NE(after.body.find("AVIT"), std::string::npos);
  EXPECT_NE(before.header("ETag"), after.header("ETag"));

  change(key, 'T', 'S');
  EXPECT_EQ(get("/api/app/objet-courrier", client).body, before.body);
}

TEST_F(CachedAnswers, DoNotOutliveAChangeOfConfiguration) {
  const Answer before = get("/api/app/objet-courrier/1", client);
  TestRequest put("PUT", "/api/app/objet-courrier/1", administrator);
  put.header("Content-Type", "application/json");
  put.body(R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})");
  EXPECT_EQ(ask(put.view()).status, 200);
  const Answer after = get("/api/app/objet-courrier/1", client);
  EXPECT_NE(before.body.find("\"utilisablePourLiasse\":true"), std::string::npos);
  EXPECT_NE(after.body.find("\"utilisablePourLiasse\":false"), std::string::npos);
  EXPECT_EQ(after.body, uncached("/api/app/objet-courrier/1").body);
}

TEST_F(CachedAnswers, AreNotSentToAClientThatHasThem) {
  const Answer first = get("/api/app/objet-courrier", client);
  TestRequest again("GET", "/api/app/objet-courrier", client);
  again.header("If-None-Match", first.header("ETag").value());
  const Answer second = ask(again.view());
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(second.header("ETag"), first.header("ETag"));
}

TEST_F(CachedAnswers, ContainNo404) {
  EXPECT_EQ(get("/api/app/objet-courrier/7", client).status, 404);
  EXPECT_EQ(answers.size(), 0U);
}

}  // namespace
}  // namespace portail
