#include "core/api/answer_memory.hpp"

#include "core/storage/key.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

CacheKey question_key(std::string_view question) { return CacheKey(KeyKind::mail_objects_page).add(question); }

RememberedAnswer made(std::string_view question, std::string_view value, std::string body) {
  const std::vector<Value> values{value, std::nullopt};
  return {.question = question_key(question),
          .made_of = std::make_shared<const StoredCopies>(values),
          .body = std::move(body),
          .tag = "\"t\""};
}

TEST(StoredCopies, AreEqualToTheSameValuesOnly) {
  const std::vector<Value> values{"a", std::nullopt, ""};
  const StoredCopies copies(values);
  EXPECT_TRUE(copies.equal(values));
  EXPECT_FALSE(copies.equal(std::vector<Value>{"b", std::nullopt, ""}));
  EXPECT_FALSE(copies.equal(std::vector<Value>{"a", "", ""}));
  EXPECT_FALSE(copies.equal(std::vector<Value>{"a", std::nullopt, std::nullopt}));
  EXPECT_FALSE(copies.equal(std::vector<Value>{"a", std::nullopt}));
  EXPECT_FALSE(copies.equal(std::vector<Value>{"", std::nullopt, "a"}));
}

TEST(StoredCopies, AreNotEqualWhereAnyByteOfALongValueDiffers) {
  std::string text(3 * 32 + 7, 'a');
  const StoredCopies copies(std::vector<Value>{text});
  EXPECT_TRUE(copies.equal(std::vector<Value>{text}));
  for (char& byte : text) {
    byte = 'b';
    EXPECT_FALSE(copies.equal(std::vector<Value>{text})) << &byte - text.data();
    byte = 'a';
  }
  EXPECT_FALSE(copies.equal(std::vector<Value>{std::string_view(text).substr(1)}));
  EXPECT_FALSE(copies.equal(std::vector<Value>{text + 'a'}));
}

TEST(BoundedAnswerMemory, HasTheLastAnswerToAQuestion) {
  BoundedAnswerMemory memory;
  EXPECT_EQ(memory.find(question_key("page 0 10")), nullptr);
  memory.keep(made("page 0 10", "v1", "first"));
  memory.keep(made("page 0 10", "v2", "second"));
  memory.keep(made("page 0 20", "v2", "other"));
  EXPECT_EQ(memory.find(question_key("page 0 10"))->body, "second");
  EXPECT_EQ(memory.size(), 2U);
}

TEST(BoundedAnswerMemory, KeepsOneCopyOfValuesThatAreEqual) {
  BoundedAnswerMemory memory;
  memory.keep(made("one", "the same", "1"));
  memory.keep(made("two", "the same", "2"));
  memory.keep(made("three", "another", "3"));
  EXPECT_EQ(memory.find(question_key("one"))->made_of, memory.find(question_key("two"))->made_of);
  EXPECT_NE(memory.find(question_key("one"))->made_of, memory.find(question_key("three"))->made_of);
}

TEST(BoundedAnswerMemory, ForgetsWhatWasNotAskedForLongest) {
  BoundedAnswerMemory memory;
  for (int i = 0; i < 64; ++i) memory.keep(made(std::to_string(i), "v", "b"));
  EXPECT_NE(memory.find(question_key("0")), nullptr);
  memory.keep(made("64", "v", "b"));
  EXPECT_EQ(memory.size(), 64U);
  EXPECT_NE(memory.find(question_key("0")), nullptr);
  EXPECT_EQ(memory.find(question_key("1")), nullptr);
  EXPECT_NE(memory.find(question_key("2")), nullptr);
}

TEST(BoundedAnswerMemory, HoldsAMebibyteAtMost) {
  BoundedAnswerMemory memory;
  for (int i = 0; i < 200; ++i) {
    memory.keep(made(std::to_string(i), std::string(30'000, 'v'), std::string(static_cast<std::size_t>(i) * 500, 'b')));
    ASSERT_LE(memory.bytes(), 1024U * 1024U);
  }
  EXPECT_GT(memory.bytes(), 900U * 1024U);
  EXPECT_LT(memory.size(), 20U);
}

TEST(BoundedAnswerMemory, KeepsNoAnswerThatWouldTakeThePlaceOfEightOthers) {
  BoundedAnswerMemory memory;
  memory.keep(made("large", "v", "small before"));
  memory.keep(made("large", "v", std::string(128 * 1024, 'b')));
  EXPECT_EQ(memory.find(question_key("large")), nullptr);
  EXPECT_EQ(memory.bytes(), 0U);
}

class RememberedAnswers : public PortalTest {
 protected:
  RememberedAnswers() { test.context.answers = &answers; }

  // The answer to `target` without a memory.
  Answer made_anew(std::string_view target) {
    test.context.answers = nullptr;
    Answer answer = get(target, client);
    test.context.answers = &answers;
    return answer;
  }
  // Changes one byte of a stored value: the last `from` of it.
  void change(std::string_view key, char from, char to) {
    std::string value = stored(key);
    const std::size_t place = value.rfind(from);
    ASSERT_NE(place, std::string::npos);
    value[place] = to;
    const Change change{key, value};
    ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))).has_value());
  }
  std::string stored(std::string_view key) {
    const auto session = run_ready(memory.open(test.context));
    Value value;
    EXPECT_TRUE(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))).has_value());
    return std::string(value.value_or(""));
  }

  BoundedAnswerMemory answers;
};

TEST_F(RememberedAnswers, AreThoseOfTheirOwnQuestion) {
  for (int round = 0; round < 2; ++round) {
    for (const std::string_view target :
         {"/api/app/objet-courrier", "/api/app/objet-courrier?MaxResultCount=1",
          "/api/app/objet-courrier?SkipCount=1&MaxResultCount=1", "/api/app/objet-courrier?SkipCount=1",
          "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1", "/api/app/objet-courrier/12"}) {
      const Answer expected = made_anew(target);
      const Answer answer = get(target, client);
      EXPECT_EQ(answer.status, 200) << target;
      EXPECT_EQ(answer.body, expected.body) << target;
      EXPECT_EQ(answer.header("ETag"), expected.header("ETag")) << target;
    }
  }
  EXPECT_EQ(answers.size(), 7U);
}

// In every value that an answer is made of, and where its length stays the same.
TEST_F(RememberedAnswers, DoNotOutliveAChangedByte) {
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

TEST_F(RememberedAnswers, DoNotOutliveAChangeOfConfiguration) {
  const Answer before = get("/api/app/objet-courrier/1", client);
  TestRequest put("PUT", "/api/app/objet-courrier/1", administrator);
  put.header("Content-Type", "application/json");
  put.body(R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})");
  EXPECT_EQ(ask(put.view()).status, 200);
  const Answer after = get("/api/app/objet-courrier/1", client);
  EXPECT_NE(before.body.find("\"utilisablePourLiasse\":true"), std::string::npos);
  EXPECT_NE(after.body.find("\"utilisablePourLiasse\":false"), std::string::npos);
  EXPECT_EQ(after.body, made_anew("/api/app/objet-courrier/1").body);
}

TEST_F(RememberedAnswers, AreNotSentToWhoHasThem) {
  const Answer first = get("/api/app/objet-courrier", client);
  TestRequest again("GET", "/api/app/objet-courrier", client);
  again.header("If-None-Match", first.header("ETag").value());
  const Answer second = ask(again.view());
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(second.header("ETag"), first.header("ETag"));
}

TEST_F(RememberedAnswers, AreOfWhatIsThere) {
  EXPECT_EQ(get("/api/app/objet-courrier/7", client).status, 404);
  EXPECT_EQ(answers.size(), 0U);
}

}  // namespace
}  // namespace portail
