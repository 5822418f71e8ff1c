// Bundles with many long texts: the size of their answers, and the memory of a list of them.
#include <algorithm>

#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

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
