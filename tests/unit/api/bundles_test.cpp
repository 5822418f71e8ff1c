#include <algorithm>

#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

// tests/contract/answers has the content of the answers.
using Bundles = PortalTest;

TEST_F(Bundles, ARepeatedReadWritesNothing) {
  get("/api/app/liasse/L-1", client);
  store.calls = {};
  get("/api/app/liasse/L-1", client);
  EXPECT_EQ(store.calls, (StoreCalls{.sessions = 1, .batches = 2, .keys = 6}));
}

TEST_F(Bundles, ConsultationThatCannotBeWrittenIsLogged) {
  class ReadOnly final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context&, std::string_view, Value, std::string_view) override {
      co_return std::unexpected(Failure::unavailable);
    }
  } read_only{memory};
  const Service reading{settings(), test_key_set(), read_only};
  const auto answer =
      run_ready(portail::serve(test.context, reading, TestRequest("GET", "/api/app/liasse/L-1", client).view()));
  EXPECT_EQ(answer.value().status, 200);
  EXPECT_EQ(test.log.lines.size(), 1U);
}

// A portal with `count` bundles of one user.
std::string many_bundles(int count) {
  std::string document =
      R"({"tiers":[{"numeroTiers":"T3","nomTiers":"N","prenomTiers":"P","utilisateurs":["sub-many"],"gestionnaires":[]}],"liasses":[)";
  for (int i = 0; i < count; ++i) {
    if (i > 0) document += ',';
    document += sample_bundle({.id = "M-" + std::to_string(1000 + i), .third_party = "T3"});
  }
  return document + "]}";
}

TEST_F(Bundles, ListOf300KilobytesIsComplete) {
  load(many_bundles(1000));
  store.calls = {};
  const Answer answer = get("/api/app/liasse", make_test_token({.subject = "sub-many"}));
  EXPECT_FALSE(answer.was_streamed);
  EXPECT_EQ(store.calls.batches, 2);
}

TEST_F(Bundles, AFailedConditionIsNoConsultation) {
  TestRequest request("GET", "/api/app/liasse/L-1", client);
  EXPECT_EQ(ask(request.header("If-Match", "\"x\"").view()).status, 412);
  EXPECT_TRUE(get("/api/app/liasse/L-1", client).body.contains(R"("deposeeDepuisDerniereConsultation":true)"));
  EXPECT_TRUE(get("/api/app/liasse/L-1", client).body.contains(R"("deposeeDepuisDerniereConsultation":false)"));
}

TEST_F(Bundles, LongListIsStreamedWithATagOfItsBundles) {
  load(many_bundles(1800));
  const std::string many = make_test_token({.subject = "sub-many"});
  store.calls = {};
  const Answer before = get("/api/app/liasse", many);
  EXPECT_TRUE(before.was_streamed);
  EXPECT_EQ(store.calls.batches, 2);
  const std::string key = "liasse.=4D-1299";
  const Change removal{key, std::nullopt};
  ASSERT_TRUE(run_ready(memory.write(test.context, {&removal, 1})));
  TestRequest again("GET", "/api/app/liasse", many);
  again.header("If-None-Match", before.header("ETag").value_or(""));
  const Answer after = ask(again.view());
  EXPECT_EQ(after.status, 200);
  EXPECT_NE(after.header("ETag"), before.header("ETag"));
  TestRequest stale("GET", "/api/app/liasse", many);
  EXPECT_EQ(ask(stale.header("If-Match", before.header("ETag").value_or("")).view()).status, 412);
}

// Bundles with many long texts: the size of their answers, and the memory of a list of them.

constexpr std::string_view large_owner =
    R"("tiers":[{"numeroTiers":"T9","nomTiers":"N","prenomTiers":"P","utilisateurs":["sub-large"],"gestionnaires":[]}])";

struct LargeShape {
  std::string type;
  std::string description;
  std::string reason;
  std::string file_name = {};
};

std::string large_document(const LargeShape& shape, std::size_t bundles, std::size_t pieces) {
  std::string text = "{" + std::string(large_owner) + R"(,"objetsCourrier":[{"id":9007199254740991,"typeObjet":")" +
                     shape.type + R"(","description":")" + shape.description +
                     R"(","utilisablePourLiasse":false,"typeAffectation":"Obligatoire")";
  if (!shape.file_name.empty()) {
    text +=
        R"(,"fichierModele":{"nomFichier":")" + shape.file_name + R"(","chemin":"cni.pdf","type":"application/pdf"})";
  }
  text += R"(}],"liasses":[)";
  for (std::size_t i = 0; i < bundles; ++i) {
    std::string all_pieces;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      all_pieces += (piece == 0 ? "" : ",") + (R"({"id":"3f2504e0-4f89-41d3-9a0c-00)" + std::to_string(1000 + i)) +
                    std::to_string(100'000 + piece) +
                    R"(","objetCourrier":9007199254740991,"statut":"Attendu","motif":")" + shape.reason + R"("})";
    }
    text += (i == 0 ? "" : ",") + sample_bundle({.id = "G-" + std::to_string(i),
                                                 .creation_date = "2024-01-15T10:30:00.1234567890123456+01:00",
                                                 .third_party = "T9",
                                                 .amount = "12345678901234567890123456789",
                                                 .pieces = all_pieces});
  }
  return text + "]}";
}

class LargeBundles : public PortalTest {
 protected:
  bool accepts(const LargeShape& shape, std::size_t pieces) {
    const auto report = import_text(test.context, memory, large_document(shape, 1, pieces), {{"cni.pdf", "%PDF"}});
    return report && report->faults.empty();
  }
  const std::string large = make_test_token({.subject = "sub-large"});
};

TEST_F(LargeBundles, AnAcceptedBundleHasAnAnswerOfAtMostAMebibyte) {
  for (const LargeShape& shape :
       {LargeShape{"T", "D", ""}, LargeShape{"T", "D", "R"}, LargeShape{std::string(60'000, 't'), "D", "R"},
        LargeShape{"T", std::string(60'000, 'd'), ""}, LargeShape{"T", "D", std::string(5'000, 'r')},
        LargeShape{"T", "D", "", std::string(200, 'f')}, LargeShape{"T", "D", R"(\u0001\u0001\u0001)"}}) {
    std::size_t accepted = 1;
    std::size_t refused = 8'000;
    while (refused - accepted > 1) {
      const std::size_t pieces = (accepted + refused) / 2;
      (accepts(shape, pieces) ? accepted : refused) = pieces;
    }
    ASSERT_TRUE(accepts(shape, accepted));
    const Answer answer = get("/api/app/liasse/G-0", large);
    EXPECT_EQ(answer.status, 200);
    EXPECT_LE(answer.body.size(), 1'048'576) << accepted << " pieces";
    EXPECT_GT(answer.body.size(), 400'000) << accepted << " pieces";
  }
}

TEST_F(LargeBundles, AreStreamedByTheBytesOfTheirList) {
  load(large_document({"T", std::string(60'000, 'd'), ""}, 1, 8));
  EXPECT_FALSE(get("/api/app/liasse", large).was_streamed) << "480 KB";
  load(large_document({"T", std::string(60'000, 'd'), ""}, 1, 9));
  const Answer answer = get("/api/app/liasse", large);
  EXPECT_TRUE(answer.was_streamed) << "540 KB";
  EXPECT_EQ(answer.body, "[" + get("/api/app/liasse/G-0", large).body + "]");
  TestRequest again("GET", "/api/app/liasse", large);
  again.header("If-None-Match", answer.header("ETag").value_or(""));
  EXPECT_EQ(ask(again.view()).status, 304);
}

TEST_F(LargeBundles, AreOneAtATimeInTheMemoryOfAList) {
  const std::string small_document = large_document({"T", std::string(60'000, 'd'), ""}, 100, 17);
  EXPECT_LT(small_document.size(), 350'000);
  load(small_document);
  Response response =
      run_ready(service.handle(test.context, TestRequest("GET", "/api/app/liasse", large).view())).value();
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<ChunkSource>>(response.body));
  ChunkSource& source = *std::get<std::unique_ptr<ChunkSource>>(response.body);
  std::size_t largest = 0;
  std::size_t all = 0;
  while (const auto chunk = run_ready(source.next(test.context)).value()) {
    largest = std::max(largest, chunk->size());
    all += chunk->size();
  }
  EXPECT_GT(all, 100'000'000);
  EXPECT_LE(largest, 1'048'576 + 65'536);
}

}  // namespace
}  // namespace portail
