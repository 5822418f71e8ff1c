#include <string>

#include <gtest/gtest.h>

#include "core/storage/format.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

constexpr ImportOptions pruning{.prune = true};

constexpr const char* first_piece =
    R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","objetCourrier":1,"statut":"Déposé","dateDepot":"2024-02-01T09:00:00Z"})";
// The small document without its second mail object, third party and bundle, and with one grant.
const std::string smaller_document = R"({"objetsCourrier":[
{"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire"}],
"tiers":[
{"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["sub-c1"],"gestionnaires":["sub-m1"]}],
"liasses":[)" + first_bundle(first_piece) +
                                     R"(],
"droits":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"}]})";

TEST(Pruning, LeavesExactlyTheDocument) {
  Portal pruned;
  pruned.import(small_document, {}, small_templates());
  const ImportReport dry = pruned.import(smaller_document, {.prune = true, .dry_run = true});
  EXPECT_TRUE(pruned.contents().contains("liasse.=4C-2"));
  const ImportReport report = pruned.import(smaller_document, pruning);
  for (const ImportReport* one : {&dry, &report}) {
    EXPECT_EQ(lines_of(*one), "");
    EXPECT_EQ(one->of(Section::mail_objects).removed, 1U);
    EXPECT_EQ(one->of(Section::third_parties).removed, 1U);
    EXPECT_EQ(one->of(Section::bundles).removed, 1U);
    EXPECT_EQ(one->of(Section::bundles).changed, 1U);
    EXPECT_EQ(one->of(Section::grants).removed, 1U);
  }
  Portal fresh;
  fresh.import(smaller_document);
  EXPECT_EQ(pruned.contents(), fresh.contents());
}

TEST(Pruning, TouchesOnlyTheSectionsThatTheDocumentHolds) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();
  const ImportReport report = portal.import("{}", pruning);
  EXPECT_EQ(lines_of(report), "");
  EXPECT_EQ(portal.contents(), before);
}

TEST(Pruning, RefusesToEmptyASectionByDefault) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();
  constexpr std::string_view empty = R"({"objetsCourrier":[],"tiers":[],"liasses":[],"droits":[]})";
  EXPECT_EQ(lines_of(portal.import(empty, pruning)),
            "objetsCourrier: the section is empty, so --prune would remove all stored elements; to allow this, give "
            "--yes (over HTTP: allowEmptySections=true)\n"
            "tiers: the section is empty, so --prune would remove all stored elements; to allow this, give --yes (over "
            "HTTP: allowEmptySections=true)\n"
            "liasses: the section is empty, so --prune would remove all stored elements; to allow this, give --yes "
            "(over HTTP: allowEmptySections=true)\n"
            "droits: the section is empty, so --prune would remove all stored elements; to allow this, give --yes "
            "(over HTTP: allowEmptySections=true)\n");
  EXPECT_EQ(portal.contents(), before);

  EXPECT_EQ(lines_of(portal.import(empty, {.prune = true, .allow_empty_sections = true})), "");
  const Contents after = {{"catalogue.0", "0\n"}, {"droits", ""}, {"format", std::string(current_format)}};
  EXPECT_EQ(portal.contents(), after);
}

TEST(Pruning, OfAnEmptyStoreNeedsNoLeave) {
  Portal portal;
  EXPECT_EQ(lines_of(portal.import(R"({"objetsCourrier":[],"tiers":[],"liasses":[],"droits":[]})", pruning)), "");
}

TEST(Pruning, RefusesToRemoveElementsThatAStoredBundleRefersTo) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();
  EXPECT_EQ(lines_of(portal.import(R"({"tiers":[
      {"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":[],"gestionnaires":[]}],
      "objetsCourrier":[{"id":2,"typeObjet":"RIB","description":"","utilisablePourLiasse":true,"typeAffectation":"Rien"}]})",
                                   pruning)),
            "objetsCourrier: pruning would remove 1, which the stored bundle \"L-1\" refers to\n"
            "tiers: pruning would remove \"T2\", which the stored bundle \"L-2\" refers to\n");
  EXPECT_EQ(portal.contents(), before);
}

TEST(Pruning, RejectsReferencesToRemovedElements) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();
  EXPECT_EQ(lines_of(portal.import(with(smaller_document, "\"objetCourrier\":1", "\"objetCourrier\":2"), pruning)),
            "liasses[0].piecesAttendues[0].objetCourrier: no mail object has the id 2\n");
  EXPECT_EQ(lines_of(portal.import(with(smaller_document, "\"numeroTiers\":\"T1\",\"numeroPret\"",
                                        "\"numeroTiers\":\"T2\",\"numeroPret\""),
                                   pruning)),
            "liasses[0].numeroTiers: no third party has the number \"T2\"\n");
  EXPECT_EQ(portal.contents(), before);
}

// A bundle of the document may refer to stored entities if their section is missing or not pruned.
TEST(Pruning, CountsReferencesToKeptElements) {
  constexpr const char* piece =
      R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3303","objetCourrier":2,"statut":"Rejeté","motif":"Illisible"})";
  const std::string bundle =
      R"("liasses":[)" + sample_bundle({.id = "L-3", .third_party = "T2", .pieces = piece}) + "]}";
  const std::string others = R"({
"objetsCourrier":[{"id":3,"typeObjet":"RIB-3","description":"","utilisablePourLiasse":true,"typeAffectation":"Rien"}],
"tiers":[{"numeroTiers":"T3","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":[],"gestionnaires":[]}],)";
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const ImportReport beside = portal.import(others + bundle);
  EXPECT_EQ(lines_of(beside), "");
  EXPECT_EQ(beside.of(Section::bundles).added, 1U);
  const ImportReport alone = portal.import("{" + bundle, pruning);
  EXPECT_EQ(lines_of(alone), "");
  EXPECT_EQ(alone.of(Section::bundles).removed, 2U);
}

// Pruning removes mail objects from the catalogue first: an interruption after it leaves a configuration without its
// mail object.
TEST(Pruning, CutBeforeTheConfigurationsLeavesNothingToTheNextMailObjectOfThatId) {
  class Cut final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                std::string_view desired) override {
      // The first swap is the audit's, which names the import.
      if (swaps_++ > 0) co_return std::unexpected(Failure::unavailable);
      co_return co_await target().compare_and_swap(context, key, expected, desired);
    }

   private:
    int swaps_ = 0;
  };
  constexpr std::string_view only_2 =
      R"({"objetsCourrier":[{"id":2,"typeObjet":"RIB","description":"","utilisablePourLiasse":false,"typeAffectation":"Rien"}]})";
  constexpr std::string_view both =
      R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"","utilisablePourLiasse":true,"typeAffectation":"Obligatoire"},)"
      R"({"id":2,"typeObjet":"RIB","description":"","utilisablePourLiasse":true,"typeAffectation":"Optionnel"}]})";
  Portal portal;
  portal.import(both);
  Cut cut(portal.memory);
  TestInput input{std::string(only_2)};
  EXPECT_EQ(portal.import(input, pruning, &cut).error(), Failure::unavailable);
  EXPECT_EQ(portal.value("configuration"), "1\ttrue\tObligatoire\n2\ttrue\tOptionnel\n");
  EXPECT_EQ(portal.value("catalogue.0"), "1\t2:1\n2\t\"RIB\"\t\"\"\n");

  // 1 is new again, and gets the document's configuration; 2 keeps its own.
  portal.import(
      R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"","utilisablePourLiasse":false,"typeAffectation":"Rien"},)"
      R"({"id":2,"typeObjet":"RIB","description":"","utilisablePourLiasse":false,"typeAffectation":"Rien"}]})");
  EXPECT_EQ(portal.value("configuration"), "1\tfalse\tRien\n2\ttrue\tOptionnel\n");
}

// For example after a line was removed by hand.
TEST(Import, GivesAMailObjectWithoutConfigurationTheDocuments) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("configuration", "2\ttrue\tOptionnel\n");
  portal.import(small_document, {}, small_templates());
  EXPECT_EQ(portal.value("configuration"), "1\ttrue\tObligatoire\n2\ttrue\tOptionnel\n");
}

TEST(Pruning, RemovesManyBundlesInBatches) {
  const auto document = [](int bundles) {
    std::string text =
        R"({"tiers":[{"numeroTiers":"T","nomTiers":"","prenomTiers":"","utilisateurs":["s"],"gestionnaires":[]}],"liasses":[)";
    for (int i = 0; i < bundles; ++i) {
      text += (i == 0 ? "" : ",");
      text += sample_bundle({.id = std::to_string(i), .third_party = "T"});
    }
    return text + "]}";
  };
  Portal portal;
  portal.import(document(2'500));
  EXPECT_EQ(portal.import(document(1), pruning).of(Section::bundles).removed, 2'499U);
  Portal fresh;
  fresh.import(document(1));
  EXPECT_EQ(portal.contents(), fresh.contents());
}

}  // namespace
}  // namespace portail
