// All callers share one cache of answers: after any other request, each answer is the same as without a cache.
#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/api/answer_cache.hpp"
#include "core/auth/token_cache.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

// Targets with separate cached answers. Filters resemble the parts of keys: sort keys, numbers, spaces, lengths,
// separators.
const std::vector<std::string>& cached_targets() {
  static const std::vector<std::string> questions = [] {
    std::vector<std::string> targets{"/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1",
                                     "/api/app/objet-courrier/12"};
    for (const std::string_view query : {"",
                                         "SkipCount=1",
                                         "SkipCount=10",
                                         "MaxResultCount=1",
                                         "MaxResultCount=100",
                                         "SkipCount=1&MaxResultCount=1",
                                         "SkipCount=1&MaxResultCount=11",
                                         "SkipCount=11&MaxResultCount=1",
                                         "MaxResultCount=1000",
                                         "Sorting=id",
                                         "Sorting=id%20desc",
                                         "Sorting=typeObjet",
                                         "Sorting=typeObjet%20desc",
                                         "Sorting=description",
                                         "Sorting=typeObjet,description",
                                         "Sorting=description,typeObjet",
                                         "Sorting=typeObjet,description%20desc",
                                         "Sorting=utilisablePourLiasse,typeAffectation,lienFichier",
                                         "Filter=1",
                                         "Filter=%2B1%20",
                                         "Filter=%20%2B1%20",
                                         "Filter=%2B1",
                                         "Filter=%2B0%20",
                                         "Filter=-0%20",
                                         "Filter=-1%20",
                                         "Filter=%2B1%20%2B2%20",
                                         "Filter=%2B2%20%2B1%20",
                                         "Filter=%2B1%20-2%20",
                                         "Filter=%2B3%20%2B4%20%2B5%20",
                                         "Filter=%2B1%20a",
                                         "Filter=a",
                                         "Filter=A",
                                         "Filter=a%20",
                                         "Filter=%20a",
                                         "Filter=a%20%20",
                                         "Filter=0%2010%200%20",
                                         "Filter=10%200%20%2B1%20",
                                         "Filter=mail%20objects%201%200%2010%200%20",
                                         "Filter=%00",
                                         "Filter=%01%00",
                                         "Filter=n%00t%01a",
                                         "Filter=t%01a",
                                         "Filter=%C3%A9",
                                         "Filter=%C3",
                                         "Filter=%FF",
                                         "Filter=%0A",
                                         "Filter=a&Sorting=id",
                                         "Filter=a&Sorting=typeObjet",
                                         "Filter=a&SkipCount=1",
                                         "Filter=a&MaxResultCount=1",
                                         "Filter=%2B1%20a&Sorting=typeObjet",
                                         "Filter=-0%20&Sorting=typeObjet",
                                         "Filter=%2B2%20&Sorting=typeObjet"}) {
      targets.push_back("/api/app/objet-courrier?" + std::string(query));
    }
    for (const std::size_t length : {127U, 128U, 129U, 300U}) {
      targets.push_back("/api/app/objet-courrier?Filter=" + std::string(length, 'a'));
    }
    return targets;
  }();
  return questions;
}

// Targets whose answers depend on the caller, the language or the permissions, or equal another target's.
constexpr std::string_view other_questions[] = {
    "/api/app/objet-courrier?Filter=",
    "/api/app/objet-courrier?Filter=%20",
    "/api/app/objet-courrier?Sorting=",
    "/api/app/objet-courrier/42",
    "/api/app/objet-courrier/1/fichier-modele",
    "/api/app/liasse",
    "/api/app/liasse/L-1",
    "/api/app/liasse/dashboard-list",
    "/api/abp/application-configuration",
    "/api/abp/application-configuration?includeLocalizationResources=false",
    "/api/abp/application-localization?cultureName=fr",
    "/api/abp/application-localization?onlyDynamics=true",
    "/api/abp/api-definition",
    "/api/abp/api-definition?includeTypes=true",
    "/swagger/v1/swagger.json",
};

struct Question {
  std::string_view target;
  std::string_view token;
  std::string_view language;
};

// Records the keys of answers.
class KeyRecorder final : public AnswerCache {
 public:
  [[nodiscard]] std::shared_ptr<const CachedAnswer> find(const CacheKey&) override { return nullptr; }
  void put(CachedAnswer answer) override { keys.emplace_back(answer.key.bytes()); }

  std::vector<std::string> keys;
};

class SharedAnswers : public PortalTest {
 protected:
  Answer ask_with(AnswerCache* cache, const Question& question) {
    TestRequest request("GET", question.target, question.token);
    request.header("Accept-Language", question.language);
    TestContext fresh;
    fresh.context.token_cache = &tokens_;
    fresh.context.answer_cache = cache;
    auto answer = run_ready(portail::serve(fresh.context, service, request.view()));
    EXPECT_TRUE(answer.has_value()) << question.target;
    return answer.value_or(Answer{});
  }
  // Expects `answer` to equal the uncached one.
  static void expect_same(const Answer& answer, const Answer& cold, const Question& question, std::string_view after) {
    EXPECT_EQ(answer.status, cold.status) << question.target << " after " << after;
    EXPECT_EQ(answer.body, cold.body) << question.target << " after " << after;
    for (const std::string_view header : {"ETag", "Content-Language", "Content-Type", "Cache-Control"}) {
      EXPECT_EQ(answer.header(header), cold.header(header)) << question.target << " after " << after;
    }
  }

 private:
  BoundedTokenCache tokens_{Hash32{}, 10};
};

TEST_F(SharedAnswers, HaveAKeyForEachQuestion) {
  std::set<std::string, std::less<>> keys;
  for (const std::string& target : cached_targets()) {
    KeyRecorder recorder;
    EXPECT_EQ(ask_with(&recorder, {target, client, "en"}).status, 200) << target;
    ASSERT_EQ(recorder.keys.size(), 1U) << target;
    EXPECT_TRUE(keys.insert(recorder.keys.front()).second) << target << " has the key of another question";
  }
  EXPECT_EQ(keys.size(), cached_targets().size());
}

TEST_F(SharedAnswers, AreTheSameAfterAnyOtherQuestion) {
  std::size_t pairs = 0;
  for (const std::string& target : cached_targets()) {
    const Question question{target, client, "en"};
    const Answer cold = ask_with(nullptr, question);
    for (const std::string& before : cached_targets()) {
      BoundedAnswerCache cache;
      ask_with(&cache, {before, manager, "fr"});
      ASSERT_EQ(cache.size(), 1U) << before;
      expect_same(ask_with(&cache, question), cold, question, before);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 60U * 60U);
}

TEST_F(SharedAnswers, AreTheSameInAnyOrderOfCallersLanguagesAndPermissions) {
  std::vector<Question> questions;
  const auto add = [&](std::string_view target) {
    for (const std::string_view token :
         {std::string_view(client), std::string_view(manager), std::string_view(administrator)}) {
      for (const std::string_view language : {"en", "fr"}) questions.push_back({target, token, language});
    }
  };
  for (const std::string& target : cached_targets()) add(target);
  for (const std::string_view target : other_questions) add(target);
  ASSERT_EQ(questions.size(), (60U + std::size(other_questions)) * 6U);

  // Consultations are recorded before the comparison begins.
  for (const Question& question : questions) ask_with(nullptr, question);
  std::vector<Answer> cold;
  for (const Question& question : questions) cold.push_back(ask_with(nullptr, question));

  std::vector<std::size_t> order(questions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  BoundedAnswerCache cache;
  std::mt19937 random(22);
  for (int round = 0; round < 6; ++round) {
    for (const std::size_t i : order) {
      expect_same(ask_with(&cache, questions[i]), cold[i], questions[i], "order " + std::to_string(round));
    }
    if (round == 0)
      std::ranges::reverse(order);
    else
      std::ranges::shuffle(order, random);
  }
  EXPECT_GT(cache.size(), 20U);
}

}  // namespace
}  // namespace portail
