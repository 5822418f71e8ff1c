// typeObjet is unique: in the document, and in the store as it is once the document is imported.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

using Codes = std::vector<std::pair<std::uint64_t, std::string>>;

// A document of these mail objects alone; a code is JSON text.
std::string document_of(const Codes& codes) {
  std::string text = R"({"objetsCourrier":[)";
  for (const auto& [id, code] : codes) {
    if (text.back() != '[') text += ',';
    text += R"({"id":)" + std::to_string(id) + R"(,"typeObjet":)" + code +
            R"(,"description":"","utilisablePourLiasse":true,"typeAffectation":"Rien"})";
  }
  return text + "]}";
}

class TypeCodes : public testing::Test {
 protected:
  std::string faults(const Codes& codes, const ImportOptions& options = {}) {
    return lines_of(portal.import(document_of(codes), options));
  }
  // Expects a refusal with this line, in a dry run too; nothing is written.
  void expect_refused(const Codes& codes, std::string_view line, ImportOptions options = {}) {
    const Contents before = portal.everything();
    for (const bool dry_run : {true, false}) {
      options.dry_run = dry_run;
      EXPECT_EQ(faults(codes, options), line);
      EXPECT_EQ(portal.everything(), before);
    }
  }
  void expect_accepted(const Codes& codes, ImportOptions options = {}) {
    for (const bool dry_run : {true, false}) {
      options.dry_run = dry_run;
      EXPECT_EQ(faults(codes, options), "");
    }
  }
  std::string catalogue() { return portal.value("catalogue.0"); }

  Portal portal;
};

TEST_F(TypeCodes, OfOneDocumentAreUnique) {
  expect_refused({{1, R"("CNI")"}, {2, R"("CNI")"}},
                 "objetsCourrier[1].typeObjet: mail object 2 has the code \"CNI\" of mail object 1, objetsCourrier[0]; "
                 "a code must be unique\n");
  // In the order of the document, not of the ids; each is compared with the first.
  expect_refused({{9, R"("A")"}, {5, R"("B")"}, {7, R"("A")"}, {1, R"("A")"}},
                 "objetsCourrier[2].typeObjet: mail object 7 has the code \"A\" of mail object 9, objetsCourrier[0]; "
                 "a code must be unique\n"
                 "objetsCourrier[3].typeObjet: mail object 1 has the code \"A\" of mail object 9, objetsCourrier[0]; "
                 "a code must be unique\n");
}

TEST_F(TypeCodes, AreComparedAsTextsAndExactly) {
  expect_refused({{1, R"("CNI")"}, {2, R"("\u0043N\u0049")"}},
                 "objetsCourrier[1].typeObjet: mail object 2 has the code \"CNI\" of mail object 1, objetsCourrier[0]; "
                 "a code must be unique\n");
  expect_accepted({{1, R"("CNI")"}, {2, R"("cni")"}, {3, R"(" CNI")"}, {4, "\"\u00e9\""}, {5, "\"e\""}});
}

TEST_F(TypeCodes, AreComparedWithoutRegardToUnicodeComposition) {
  expect_refused({{1, "\"e\u0301t\u00e9\""}, {2, "\"\u00e9te\u0301\""}},
                 "objetsCourrier[1].typeObjet: mail object 2 has the code \"\u00e9te\u0301\" of mail object 1, "
                 "objetsCourrier[0]; a code must be unique\n");
  expect_accepted({{1, "\"e\u0301t\u00e9\""}});
  expect_refused({{2, R"("\u00e9t\u00e9")"}},
                 "objetsCourrier[0].typeObjet: mail object 2 has the code \"\u00e9t\u00e9\" of mail object 1, which is "
                 "stored; a code must be unique\n");
  expect_accepted({{1, "\"\u00e9t\u00e9\""}});  // its own code
}

TEST_F(TypeCodes, OfStoredObjectsCount) {
  expect_accepted({{1, R"("CNI")"}, {2, R"("RIB")"}});
  constexpr std::string_view line =
      "objetsCourrier[1].typeObjet: mail object 4 has the code \"RIB\" of mail object 2, which is stored; a code must "
      "be "
      "unique\n";
  expect_refused({{3, R"("AVIS")"}, {4, R"("RIB")"}}, line);
  expect_refused({{3, R"("AVIS")"}, {4, R"("RIB")"}}, line, {.replace_configuration = true});
  expect_refused({{1, R"("RIB")"}},
                 "objetsCourrier[0].typeObjet: mail object 1 has the code \"RIB\" of mail object 2, which is stored; "
                 "a code must be unique\n");
  expect_accepted({{2, R"("RIB")"}, {3, R"("AVIS")"}});
}

TEST_F(TypeCodes, MayBeSwappedAndPassedOn) {
  expect_accepted({{1, R"("A")"}, {2, R"("B")"}, {3, R"("C")"}});
  expect_accepted({{1, R"("B")"}, {2, R"("A")"}});
  expect_accepted({{1, R"("A")"}, {2, R"("C")"}, {3, R"("B")"}});
  expect_accepted({{2, R"("D")"}, {4, R"("C")"}});
  EXPECT_EQ(catalogue(), "4\t1:4\n1\t\"A\"\t\"\"\n2\t\"D\"\t\"\"\n3\t\"B\"\t\"\"\n4\t\"C\"\t\"\"\n");
}

TEST_F(TypeCodes, OfPrunedObjectsAreFree) {
  expect_accepted({{1, R"("A")"}, {2, R"("B")"}});
  expect_refused({{3, R"("A")"}},
                 "objetsCourrier[0].typeObjet: mail object 3 has the code \"A\" of mail object 1, which is stored; "
                 "a code must be unique\n");
  expect_accepted({{3, R"("A")"}}, {.prune = true});
  EXPECT_EQ(catalogue(), "1\t3:1\n3\t\"A\"\t\"\"\n");
}

// Without the section nothing is pruned or refused.
TEST_F(TypeCodes, ThatOnlyStoredObjectsShareAreNotTheDocumentsFault) {
  expect_accepted({{9, R"("X")"}});
  portal.put("catalogue.0", "3\t1:3\n1\t\"A\"\t\"\"\n2\t\"A\"\t\"\"\n9\t\"X\"\t\"\"\n");
  EXPECT_EQ(lines_of(portal.import(R"({"tiers":[]})")), "");
  expect_accepted({{9, R"("Y")"}});
  expect_refused({{2, R"("A")"}},
                 "objetsCourrier[0].typeObjet: mail object 2 has the code \"A\" of mail object 1, which is stored; "
                 "a code must be unique\n");
  expect_accepted({{2, R"("B")"}});
  expect_accepted({{1, R"("A")"}, {2, R"("B")"}});
}

// An import that was interrupted while it swapped codes is completed by the same document.
TEST_F(TypeCodes, OfAnInterruptedImportAreRepaired) {
  class Cut final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    int writes = 0;
    int allowed = 0;
    Task<void> write(Context& context, std::span<const Change> changes) override {
      if (writes++ >= allowed) co_await std::unexpected(Failure::unavailable);
      co_await target().write(context, changes);
    }
  };
  const std::string document = document_of({{3, R"("A")"}});
  int cuts = 0;
  for (int allowed = 0;; ++allowed) {
    Portal fresh;
    fresh.import(document_of({{1, R"("A")"}, {2, R"("B")"}}));
    Cut cut(fresh.memory);
    cut.allowed = allowed;
    TestInput input(document);
    const auto cut_short = fresh.import(input, {.prune = true}, &cut);
    EXPECT_EQ(lines_of(fresh.import(document, {.prune = true})), "") << allowed;
    EXPECT_EQ(fresh.value("catalogue.0"), "1\t3:1\n3\t\"A\"\t\"\"\n") << allowed;
    if (cut_short) break;
    ++cuts;
  }
  EXPECT_GT(cuts, 1);
}

TEST_F(TypeCodes, AreNotComparedWhereAMailObjectHasAFault) {
  const std::string document =
      with(document_of({{1, R"("A")"}, {2, R"("A")"}}), R"("description":"")", R"("description":1)");
  EXPECT_EQ(lines_of(portal.import(document)), "objetsCourrier[0].description: must be a string\n");
}

TEST_F(TypeCodes, AreQuotedInShort) {
  const std::string code = '"' + std::string(1000, 'a') + '"';
  expect_refused({{1, code}, {2, code}}, "objetsCourrier[1].typeObjet: mail object 2 has the code \"" +
                                             std::string(80, 'a') +
                                             "\"… of mail object 1, objetsCourrier[0]; a code must be unique\n");
}

}  // namespace
}  // namespace portail
