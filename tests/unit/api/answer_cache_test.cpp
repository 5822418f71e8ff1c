#include "core/api/answer_cache.hpp"

#include "core/storage/key.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

CacheKey question_key(std::string_view question) { return CacheKey(CacheKeyKind::mail_objects_page).add(question); }

CachedAnswer cached_answer(std::string_view question, std::string_view value, std::string body) {
  const std::vector<Value> values{value, std::nullopt};
  return {.key = question_key(question),
          .revision = std::nullopt,
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
  EXPECT_EQ(cache.evictions(), 0U);
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
  for (int i = 0; i < 256; ++i) cache.put(cached_answer(std::to_string(i), "v", "b"));
  EXPECT_NE(cache.find(question_key("0")), nullptr);
  cache.put(cached_answer("256", "v", "b"));
  EXPECT_EQ(cache.size(), 256U);
  EXPECT_EQ(cache.evictions(), 1U);
  EXPECT_NE(cache.find(question_key("0")), nullptr);
  EXPECT_EQ(cache.find(question_key("1")), nullptr);
  EXPECT_NE(cache.find(question_key("2")), nullptr);
}

TEST(BoundedAnswerCache, HoldsTwoMebibytesAtMost) {
  BoundedAnswerCache cache;
  for (int i = 0; i < 200; ++i) {
    cache.put(cached_answer(std::to_string(i), std::string(30'000, 'v'),
                            std::string(static_cast<std::size_t>(i) * 500, 'b')));
    ASSERT_LE(cache.bytes(), 2U * 1024U * 1024U);
  }
  EXPECT_GT(cache.bytes(), 1900U * 1024U);
  EXPECT_LT(cache.size(), 40U);
}

TEST(BoundedAnswerCache, RejectsAnAnswerOfAQuarterOfTheCapacity) {
  BoundedAnswerCache cache;
  cache.put(cached_answer("large", "v", "small before"));
  cache.put(cached_answer("large", "v", std::string(512 * 1024, 'b')));
  EXPECT_EQ(cache.find(question_key("large")), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
}

// With the store's revision, or without it.
class CachedAnswers : public PortalTest, public testing::WithParamInterface<bool> {
 protected:
  CachedAnswers() {
    test.context.answer_cache = &answers;
    store.hides_revision = !GetParam();
  }

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
  int keys_read(std::string_view target, std::string_view token);
  std::string stored(std::string_view key) {
    const auto session = run_ready(memory.open(test.context));
    Value value;
    EXPECT_TRUE(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))).has_value());
    return std::string(value.value_or(""));
  }

  BoundedAnswerCache answers;
};

INSTANTIATE_TEST_SUITE_P(ByRevision, CachedAnswers, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(ByValues, CachedAnswers, testing::Values(false));

TEST_P(CachedAnswers, AreThoseOfTheirOwnQuestion) {
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
TEST_P(CachedAnswers, DoNotOutliveAChangedByte) {
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

TEST_P(CachedAnswers, DoNotOutliveAChangeOfConfiguration) {
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

// The number of keys that a request for `target` reads.
int CachedAnswers::keys_read(std::string_view target, std::string_view token) {
  store.calls = {};
  EXPECT_EQ(get(target, token).status, 200);
  return store.calls.keys;
}

TEST_P(CachedAnswers, AreFoundByTheRevisionAlone) {
  if (!GetParam()) {
    const int keys = keys_read("/api/app/objet-courrier", client);
    EXPECT_GT(keys, 1);
    EXPECT_EQ(keys_read("/api/app/objet-courrier", client), keys);
    return;
  }
  for (const std::string_view target :
       {"/api/app/objet-courrier", "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1"}) {
    EXPECT_GT(keys_read(target, client), 1) << target;
    EXPECT_EQ(keys_read(target, client), 0) << target;
  }
  // The consultations, which have no revision; the grants of a manager.
  EXPECT_GT(keys_read("/api/app/liasse", client), 5);
  EXPECT_EQ(keys_read("/api/app/liasse", client), 1);
  EXPECT_GT(keys_read("/api/app/liasse/dashboard-list", manager), 5);
  EXPECT_EQ(keys_read("/api/app/liasse/dashboard-list", manager), 2);
}

TEST_P(CachedAnswers, KeepTheirRevisionWhenAPersonReads) {
  EXPECT_EQ(get("/api/app/objet-courrier", client).status, 200);
  const std::string key = consultation_key("sub-client", 0);
  const Answer before = get("/api/app/liasse", client);
  EXPECT_EQ(get("/api/app/liasse/L-1", client).status, 200);
  EXPECT_NE(stored(key), "");
  if (GetParam()) {
    EXPECT_EQ(keys_read("/api/app/objet-courrier", client), 0);
  }

  const Answer after = get("/api/app/liasse", client);
  EXPECT_NE(before.body.find("\"deposeeDepuisDerniereConsultation\":true"), std::string::npos);
  EXPECT_NE(before.body, after.body);
  EXPECT_EQ(after.body, uncached("/api/app/liasse").body);
}

// Of another person, or in another relation to the client.
TEST_P(CachedAnswers, OfBundlesBelongToOnePerson) {
  const std::string other = make_test_token({.subject = "sub-other", .roles = {"gestionnaire"}});
  const std::string both = make_test_token({.subject = "sub-client", .roles = {"gestionnaire"}});
  const Answer of_client = get("/api/app/liasse", client);
  const Answer of_other = get("/api/app/liasse", other);
  EXPECT_NE(of_client.body.find("\"L-1\""), std::string::npos);
  EXPECT_EQ(of_client.body.find("\"L-3\""), std::string::npos);
  EXPECT_EQ(of_other.body.find("\"L-1\""), std::string::npos);
  EXPECT_NE(of_other.body.find("\"L-3\""), std::string::npos);
  EXPECT_EQ(get("/api/app/liasse/dashboard-list", both).body, "[]");
  EXPECT_EQ(get("/api/app/liasse/dashboard-list", client).status, 403);
  EXPECT_EQ(get("/api/app/liasse", client).body, of_client.body);
}

TEST_P(CachedAnswers, OfADashboardEndWithThePermission) {
  EXPECT_EQ(get("/api/app/liasse/dashboard-list", manager).status, 200);
  const Change change{grants_key, std::nullopt};
  ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))).has_value());
  EXPECT_EQ(get("/api/app/liasse/dashboard-list", manager).status, 403);
}

TEST_P(CachedAnswers, OfBundlesDoNotOutliveAnImport) {
  const Answer before = get("/api/app/liasse", client);
  EXPECT_EQ(get("/api/app/liasse", client).body, before.body);
  std::string document(small_portal);
  const std::size_t name = document.find("Prêt immobilier");
  ASSERT_NE(name, std::string::npos);
  load(document.replace(name, std::string_view("Prêt immobilier").size(), "Prêt étudiant"));
  const Answer after = get("/api/app/liasse", client);
  EXPECT_EQ(before.body.find("Prêt étudiant"), std::string::npos);
  EXPECT_NE(after.body.find("Prêt étudiant"), std::string::npos);
  EXPECT_EQ(after.body, uncached("/api/app/liasse").body);
}

TEST_P(CachedAnswers, AreNotSentToAClientThatHasThem) {
  const Answer first = get("/api/app/objet-courrier", client);
  TestRequest again("GET", "/api/app/objet-courrier", client);
  again.header("If-None-Match", first.header("ETag").value());
  const Answer second = ask(again.view());
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(second.header("ETag"), first.header("ETag"));
}

TEST_P(CachedAnswers, ContainNo404) {
  EXPECT_EQ(get("/api/app/objet-courrier/7", client).status, 404);
  EXPECT_EQ(answers.size(), 0U);
}

}  // namespace
}  // namespace portail
