#include <array>
#include <functional>
#include <utility>

#include "core/api/endpoints.hpp"
#include "core/storage/key.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

// tests/contract/answers/mail_objects_test.cpp and tests/contract/requests have the answers of each route.
using MailObjects = PortalTest;

TEST_F(MailObjects, PageBoundsHaveTheirSentences) {
  const Answer answer = get("/api/app/objet-courrier?SkipCount=-1&MaxResultCount=1001", client);
  EXPECT_EQ(
      answer.body,
      R"({"error":{"code":null,"message":"Your request is not valid!","details":"The following errors were detected )"
      R"(during validation.\n - The field SkipCount must be an integer between 0 and 2147483647.\n - The field )"
      R"(MaxResultCount must be an integer between 1 and 1000.\n","data":{},"validationErrors":[{"message":"The field )"
      R"(SkipCount must be an integer between 0 and 2147483647.","members":["skipCount"]},{"message":"The field )"
      R"(MaxResultCount must be an integer between 1 and 1000.","members":["maxResultCount"]}]}})");
}

// An import has written a part, and not yet the summary in part 0 (or the summary of an interrupted import is older).
TEST_F(MailObjects, PageOfPartsThatDisagreeWithTheirSummaryHasTheirTotal) {
  MemoryStore changing;
  const Service of_changing{settings(), test_key_set(), changing};
  const auto page = [&](std::string_view last_part, std::string_view query) {
    const std::array changes{Change{"format", "1"}, Change{"catalogue.0", "3\t1:1\t11:2\n1\t\"A\"\t\"\"\n"},
                             Change{"catalogue.1", last_part}};
    EXPECT_TRUE(run_ready(changing.write(test.context, changes)));
    const std::string target = std::string("/api/app/objet-courrier?").append(query);
    return run_ready(portail::serve(test.context, of_changing, TestRequest("GET", target, client).view())).value().body;
  };
  const auto item = [](int id, std::string_view type) {
    return R"({"id":)" + std::to_string(id) + R"(,"typeObjet":")" + std::string(type) +
           R"(","description":"","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null})";
  };
  constexpr std::string_view grown = "11\t\"B\"\t\"\"\n12\t\"C\"\t\"\"\n13\t\"D\"\t\"\"\n";
  EXPECT_EQ(page(grown, "SkipCount=2&MaxResultCount=2"),
            R"({"totalCount":4,"items":[)" + item(12, "C") + ',' + item(13, "D") + "]}");
  EXPECT_EQ(page("11\t\"B\"\t\"\"\n", "SkipCount=1&MaxResultCount=2"),
            R"({"totalCount":2,"items":[)" + item(11, "B") + "]}");
}

// 45 mail objects of 6,500 bytes are stored in three parts: 20, 20 and 5.
TEST_F(MailObjects, PageGoesOverStoredParts) {
  std::string document = R"({"objetsCourrier":[)";
  for (int id = 101; id <= 145; ++id) {
    if (id > 101) document += ',';
    document += R"({"id":)" + std::to_string(id) + R"(,"typeObjet":"T)" + std::to_string(id) + R"(","description":")" +
                std::string(6'500 - 3, 'd') + R"(","utilisablePourLiasse":true,"typeAffectation":"Rien"})";
  }
  MemoryStore large;
  ASSERT_EQ(import_text(test.context, large, document + "]}").value().faults, std::vector<std::string>{});
  const Service of_large{settings(), test_key_set(), large};

  const auto ids = [&](std::string_view query) {
    const std::string target = std::string("/api/app/objet-courrier?").append(query);
    const auto answer = run_ready(portail::serve(test.context, of_large, TestRequest("GET", target, client).view()));
    EXPECT_TRUE(answer.value().body.starts_with(R"({"totalCount":45,"items":[)")) << query;
    std::vector<int> found;
    const std::string_view body = answer.value().body;
    for (std::size_t at = body.find(R"({"id":)"); at != body.npos; at = body.find(R"({"id":)", at + 1)) {
      found.push_back(std::stoi(std::string(body.substr(at + 6, 3))));
    }
    return found;
  };
  EXPECT_EQ(ids("SkipCount=18&MaxResultCount=4"), (std::vector{119, 120, 121, 122}));
  EXPECT_EQ(ids("SkipCount=19&MaxResultCount=1"), (std::vector{120}));
  EXPECT_EQ(ids("SkipCount=20&MaxResultCount=2"), (std::vector{121, 122}));
  EXPECT_EQ(ids("SkipCount=25&MaxResultCount=2"), (std::vector{126, 127}));
  EXPECT_EQ(ids("SkipCount=38&MaxResultCount=3"), (std::vector{139, 140, 141}));
  EXPECT_EQ(ids("SkipCount=43&MaxResultCount=10"), (std::vector{144, 145}));
  EXPECT_EQ(ids("SkipCount=45&MaxResultCount=10"), std::vector<int>{});
  const std::vector<int> over_all = ids("SkipCount=10&MaxResultCount=32");
  ASSERT_EQ(over_all.size(), 32U);
  EXPECT_EQ(over_all.front(), 111);
  EXPECT_EQ(over_all.back(), 142);
}

// A portal whose mail object 1 has a template file of 600,000 bytes, which are three values.
class LongTemplateFile : public MailObjects {
 protected:
  LongTemplateFile() {
    const auto report = import_text(
        test.context, memory,
        R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"","utilisablePourLiasse":true,"typeAffectation":"Rien",
            "fichierModele":{"nomFichier":"a.pdf","chemin":"file","type":"application/pdf"}}]})",
        {{"file", bytes_}});
    EXPECT_EQ(report.value().faults, std::vector<std::string>{});
  }
  const std::string bytes_ = std::string(300'000, 'a') + std::string(300'000, 'b');
  TestRequest request_{"GET", "/api/app/objet-courrier/1/fichier-modele", client};
};

TEST_F(LongTemplateFile, IsStreamedAPartAtATimeUnderItsLength) {
  Response response = run_ready(service.handle(test.context, request_.view())).value();
  EXPECT_EQ(response.streamed_length, 600'000U);
  auto& source = *std::get<std::unique_ptr<ChunkSource>>(response.body);
  std::vector<std::size_t> sizes;
  std::string received;
  while (const auto chunk = run_ready(source.next(test.context)).value()) {
    sizes.push_back(chunk->size());
    received += *chunk;
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{262'144, 262'144, 75'712}));
  EXPECT_EQ(received, bytes_);
}

// For example if an import replaces it concurrently, on a store without snapshots.
TEST_F(LongTemplateFile, FailsIfReplacedWhileSent) {
  const std::string key = template_key(1, 1);
  const Change other{key, std::string_view(bytes_).substr(0, 262'144)};
  ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&other, 1))).has_value());
  Response response = run_ready(service.handle(test.context, request_.view())).value();
  auto& source = *std::get<std::unique_ptr<ChunkSource>>(response.body);
  EXPECT_TRUE(run_ready(source.next(test.context)).has_value());
  EXPECT_TRUE(run_ready(source.next(test.context)).has_value());
  EXPECT_EQ(run_ready(source.next(test.context)).error(), Failure::unavailable);
}

// However long the client took for the previous part.
TEST_F(LongTemplateFile, GivesEachPartTheTimeOfARequest) {
  Response response = run_ready(service.handle(test.context, request_.view())).value();
  auto& source = *std::get<std::unique_ptr<ChunkSource>>(response.body);
  test.context.deadline = {0};
  EXPECT_TRUE(run_ready(source.next(test.context)).has_value());
  EXPECT_EQ(test.context.deadline.microseconds, test.context.clock.now().microseconds + 30'000'000);
}

TEST_F(LongTemplateFile, EndsWhereAPartIsGone) {
  const std::string key = template_key(1, 1);
  const Change gone{key, std::nullopt};
  ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&gone, 1))).has_value());
  EXPECT_EQ(run_ready(portail::serve(test.context, service, request_.view())).error(), Failure::unavailable);
}

TEST_F(MailObjects, TemplateFilesTagIsOfItsBytesItsTypeAndItsName) {
  const auto tag_of = [&](std::string_view name, std::string_view type, const std::string& bytes) {
    std::string document =
        R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"","utilisablePourLiasse":true,)";
    document += R"("typeAffectation":"Rien","fichierModele":{"nomFichier":")";
    document.append(name).append(R"(","chemin":"file","type":")").append(type).append(R"("}}]})");
    MemoryStore other;
    EXPECT_EQ(import_text(test.context, other, document, {{"file", bytes}}).value().faults, std::vector<std::string>{});
    const Service of_other{settings(), test_key_set(), other};
    const auto answer = run_ready(portail::serve(
        test.context, of_other, TestRequest("GET", "/api/app/objet-courrier/1/fichier-modele", client).view()));
    EXPECT_EQ(answer.value().status, 200);
    return std::string(answer.value().header("ETag").value_or("(none)"));
  };
  const std::string tag = tag_of("a.pdf", "application/pdf", "bytes");
  EXPECT_EQ(tag.size(), 34U);
  EXPECT_EQ(tag_of("a.pdf", "application/pdf", "bytes"), tag);
  EXPECT_NE(tag_of("b.pdf", "application/pdf", "bytes"), tag);
  EXPECT_NE(tag_of("a.pdf", "image/png", "bytes"), tag);
  EXPECT_NE(tag_of("a.pdf", "application/pdf", "other"), tag);
}

class MailObjectUpdate : public PortalTest {
 protected:
  Answer put(std::string_view target, std::string_view token, std::string_view body) {
    TestRequest request("PUT", target, token);
    request.json(body);
    return ask(request.view());
  }
  static constexpr std::string_view avis_object = "/api/app/objet-courrier/12";
  static constexpr std::string_view good = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel"})";
};

TEST_F(MailObjectUpdate, FieldsHaveTheirSentences) {
  const Answer missing = put(avis_object, administrator, R"({"utilisablePourLiasse":1})");
  EXPECT_EQ(
      missing.body.substr(missing.body.find("validationErrors")),
      R"(validationErrors":[{"message":"The field utilisablePourLiasse must be true or false.","members":)"
      R"(["utilisablePourLiasse"]},{"message":"The field typeAffectation is required.","members":["typeAffectation"]}]}})");
}

// And the record that the new audit record follows.
TEST_F(MailObjectUpdate, ReadsTheStoredValuesOnce) {
  store.calls = {};
  ASSERT_EQ(put(avis_object, administrator, good).status, 200);
  const StoreCalls expected{.sessions = 1, .batches = 2, .keys = 4, .writes = 1, .swaps = 1};
  EXPECT_EQ(store.calls, expected);
}

// A body during which another client's PUT completes.
class OvertakenBody final : public ChunkSource {
 public:
  OvertakenBody(std::string_view text, std::function<void()> overtake)
      : target_(std::string(text)), overtake_(std::move(overtake)) {}
  Task<std::optional<std::string_view>> next(Context& context) override {
    if (overtake_) std::exchange(overtake_, nullptr)();
    return target_.next(context);
  }
  [[nodiscard]] bool is_overtaken() const { return !overtake_; }

 private:
  TextSource target_;
  std::function<void()> overtake_;
};

TEST_F(MailObjectUpdate, ReadsAgainIfItsValuesChangeBeforeItsSwap) {
  constexpr std::string_view other = R"({"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"})";
  OvertakenBody body(good, [&] { ASSERT_EQ(put("/api/app/objet-courrier/1", administrator, other).status, 200); });
  TestRequest request("PUT", avis_object, administrator);
  request.json(good);
  Request view = request.view();
  view.body = &body;
  store.calls = {};
  EXPECT_EQ(ask(view).status, 200);
  EXPECT_TRUE(body.is_overtaken());
  EXPECT_EQ(store.calls.swaps, 3);  // two of this request, one of the other
  const Answer changed = get("/api/app/objet-courrier/1", client);
  EXPECT_NE(changed.body.find(R"("utilisablePourLiasse":false,"typeAffectation":"Obligatoire")"), std::string::npos);
  const Answer own = get(avis_object, client);
  EXPECT_NE(own.body.find(R"("utilisablePourLiasse":true,"typeAffectation":"Optionnel")"), std::string::npos);
}

TEST_F(MailObjectUpdate, FailsItsConditionIfTheObjectChangesBeforeItsSwap) {
  constexpr std::string_view other = R"({"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"})";
  OvertakenBody body(good, [&] { ASSERT_EQ(put(avis_object, administrator, other).status, 200); });
  TestRequest request("PUT", avis_object, administrator);
  request.header("If-Match", get(avis_object, client).header("ETag").value_or("")).json(good);
  Request view = request.view();
  view.body = &body;
  EXPECT_EQ(ask(view).status, 412);
  EXPECT_TRUE(body.is_overtaken());
  const Answer changed = get(avis_object, client);
  EXPECT_NE(changed.body.find(R"("typeAffectation":"Obligatoire")"), std::string::npos);
}

}  // namespace
}  // namespace portail
