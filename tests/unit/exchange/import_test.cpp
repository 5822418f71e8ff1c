#include "core/exchange/import.hpp"

#include <string>

#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/storage/format.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

// Returns what an import computes in the value of a bundle, and its pieces. records_test.cpp has the whole value.
std::string computed_of(const std::string& value) {
  EXPECT_TRUE(is_intact_bundle(value));
  const Bundle bundle = read_bundle(value).value();
  return std::to_string(bundle.deposits) + '\t' + std::string(bundle.instant) + '\t' +
         std::string(bundle.creation_date) + '\n' + std::string(bundle.piece_lines);
}

std::string counts(const SectionReport& section) {
  return std::to_string(section.added) + " added, " + std::to_string(section.changed) + " changed, " +
         std::to_string(section.unchanged) + " unchanged, " + std::to_string(section.removed) + " removed";
}

TEST(Import, WritesTheStorageLayout) {
  Portal portal;
  const ImportReport report = portal.import(small_document, {}, small_templates());
  ASSERT_TRUE(report.faults.empty()) << report.faults.front();
  EXPECT_EQ(portal.value("format"), current_format);
  EXPECT_EQ(portal.value("catalogue.0"),
            "2\t1:2\n"
            "1\t\"CNI\"\t\"Carte nationale d'identité\"\n"
            "2\t\"RIB\"\t\"Relevé\"\t\"modèle rib.pdf\"\tapplication/pdf\t8\t" +
                lower_hex(blake2b("%PDF rib")) + "\n");
  EXPECT_EQ(portal.value("modele.2.0"), "%PDF rib");
  EXPECT_EQ(portal.value("configuration"), "1\ttrue\tObligatoire\n2\tfalse\tRien\n");
  const auto configurations = Configurations::parse(portal.everything().at("configuration")).value();
  EXPECT_EQ(configurations.edition(), (Edition{.import = configurations.last_change().value(), .is_complete = true}));
  EXPECT_EQ(portal.value("tiers.=541"),
            "\"T1\"\t\"Durand\"\t\"Chloé\"\nutilisateur\t\"sub-c1\"\ngestionnaire\t\"sub-m1\"\n");
  EXPECT_EQ(computed_of(portal.value("liasse.=4C-1")),
            "1\t1705311000.250\t2024-01-15T10:30:00.250+01:00\n"
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301\t1\t\"Déposé\"\tnull\t2024-02-01T09:00:00+00:00\n"
            "3f2504e0-4f89-41d3-9a0c-0305e82c3302\t2\t\"Rejeté\"\t\"Illisible\"\t-");
  EXPECT_EQ(computed_of(portal.value("liasse.=4C-2")), "0\t1705363200\t2024-01-16T00:00:00+00:00\n");
  EXPECT_EQ(portal.value("utilisateur.sub-c1.0"), "1\t\"sub-c1\"\n\"L-1\"\t\"T1\"\n\"L-2\"\t\"T2\"\n");
  EXPECT_EQ(portal.value("utilisateur.sub-c2.0"), "1\t\"sub-c2\"\n\"L-2\"\t\"T2\"\n");
  EXPECT_EQ(portal.value("gestionnaire.sub-m1.0"), "1\t\"sub-m1\"\n\"L-1\"\t\"T1\"\n");
  EXPECT_EQ(portal.value("droits"),
            "PortailClients.Dashboard.Host\trole\t\"gestionnaire\"\n"
            "PortailClients.ObjetsCourrier.Update\tutilisateur\t\"sub-admin\"\n");
  EXPECT_EQ(portal.contents().size(), 12U);

  EXPECT_EQ(counts(report.of(Section::mail_objects)), "2 added, 0 changed, 0 unchanged, 0 removed");
  EXPECT_EQ(counts(report.of(Section::third_parties)), "2 added, 0 changed, 0 unchanged, 0 removed");
  EXPECT_EQ(counts(report.of(Section::bundles)), "2 added, 0 changed, 0 unchanged, 0 removed");
  EXPECT_EQ(counts(report.of(Section::grants)), "2 added, 0 changed, 0 unchanged, 0 removed");
  EXPECT_EQ(report.deposits, 1U);
  ASSERT_EQ(report.unknown_statuses.size(), 1U);
  EXPECT_EQ(report.unknown_statuses[0].status, "Rejeté");
  EXPECT_EQ(report.unknown_statuses[0].pieces, 1U);
}

TEST(Import, GivesTheSameForChunksOfAnySize) {
  Portal whole;
  whole.import(small_document, {}, small_templates());
  for (const std::size_t size : {1U, 2U, 3U, 7U, 64U, 1000U}) {
    Portal portal;
    TestInput input{small_document, small_templates()};
    input.chunk_size = size;
    EXPECT_TRUE(portal.import(input)->faults.empty());
    EXPECT_EQ(portal.contents(), whole.contents());
  }
}

TEST(Import, OfTheSameDocumentWritesOnlyItsRecord) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();

  struct OnlyAudit : ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Task<void> write(Context& context, std::span<const Change> changes) override {
      for (const Change& change : changes) {
        if (!change.key.starts_with(audit_prefix)) co_await std::unexpected(Failure::unavailable);
      }
      co_await target().write(context, changes);
    }
  } store(portal.memory);
  TestInput input{small_document, small_templates()};
  const auto report = portal.import(input, {}, &store);
  ASSERT_TRUE(report);
  EXPECT_EQ(counts(report->of(Section::mail_objects)), "0 added, 0 changed, 2 unchanged, 0 removed");
  EXPECT_EQ(counts(report->of(Section::third_parties)), "0 added, 0 changed, 2 unchanged, 0 removed");
  EXPECT_EQ(counts(report->of(Section::bundles)), "0 added, 0 changed, 2 unchanged, 0 removed");
  EXPECT_EQ(counts(report->of(Section::grants)), "0 added, 0 changed, 2 unchanged, 0 removed");
  EXPECT_EQ(report->deposits, 0U);
  EXPECT_EQ(portal.contents(), before);
}

TEST(Import, DryRunReportsTheSameAndWritesNothing) {
  Portal portal;
  const ImportReport dry = portal.import(small_document, {.dry_run = true}, small_templates());
  EXPECT_TRUE(portal.contents().empty());
  const ImportReport real = portal.import(small_document, {}, small_templates());
  for (const Section section : all_sections) EXPECT_EQ(counts(dry.of(section)), counts(real.of(section)));
  EXPECT_EQ(dry.deposits, 1U);
  EXPECT_EQ(dry.unknown_statuses.size(), 1U);
}

TEST(Import, CountsAnUnknownStatusInOneComposition) {
  Portal portal;
  const std::string document =
      with(with(small_document, "Rejeté", "A\u0300 v\u00e9rifier"), "Déposé", "\u00c0 ve\u0301rifier");
  const ImportReport report = portal.import(document, {}, small_templates());
  ASSERT_EQ(report.unknown_statuses.size(), 1U);
  EXPECT_EQ(report.unknown_statuses[0].status, "\u00c0 ve\u0301rifier");
  EXPECT_EQ(report.unknown_statuses[0].pieces, 2U);
}

TEST(Import, KeepsThePortalsConfigurationByDefault) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("configuration", "1\tfalse\tOptionnel\n2\ttrue\tRien\n");  // as a PUT does

  const std::string described = with(small_document, "Carte nationale", "Carte");
  const ImportReport kept = portal.import(described, {}, small_templates());
  EXPECT_EQ(counts(kept.of(Section::mail_objects)), "0 added, 1 changed, 1 unchanged, 0 removed");
  EXPECT_EQ(portal.value("configuration"), "1\tfalse\tOptionnel\n2\ttrue\tRien\n");
  EXPECT_TRUE(portal.value("catalogue.0").contains("1\t\"CNI\"\t\"Carte d'identité\"\n"));

  const ImportReport replaced = portal.import(described, {.replace_configuration = true}, small_templates());
  EXPECT_EQ(counts(replaced.of(Section::mail_objects)), "0 added, 2 changed, 0 unchanged, 0 removed");
  EXPECT_EQ(portal.value("configuration"), "1\ttrue\tObligatoire\n2\tfalse\tRien\n");
}

TEST(Import, GivesWayToAPutThatComesInBetween) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  struct RacingPut : ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                std::string_view desired) override {
      if (swaps++ == 0) {
        const Change put{"configuration", "1\tfalse\tRien\n2\tfalse\tRien\n"};
        co_await target().write(context, std::span(&put, 1));
      }
      co_return co_await target().compare_and_swap(context, key, expected, desired);
    }
    int swaps = 0;
  } store(portal.memory);
  TestInput input(R"({"objetsCourrier":[{"id":3,"typeObjet":"X","description":"","utilisablePourLiasse":true,
      "typeAffectation":"Optionnel"}]})");
  ASSERT_TRUE(portal.import(input, {}, &store));
  EXPECT_EQ(store.swaps, 3) << "one that is lost, one that begins the import, one that completes it";
  EXPECT_EQ(portal.value("configuration"), "1\tfalse\tRien\n2\tfalse\tRien\n3\ttrue\tOptionnel\n");
}

TEST(Import, CountsDepositsThatAppearOrChange) {
  Portal portal;
  const auto deposits = [&] { return read_bundle(portal.value("liasse.=4C-1")).value().deposits; };
  portal.import(small_document, {}, small_templates());
  EXPECT_EQ(deposits(), 1U);

  // One changes, one appears.
  std::string document = with(small_document, "2024-02-01T09:00:00Z", "2024-02-02T09:00:00Z");
  document =
      with(document, "\"motif\":\"Illisible\"", "\"motif\":\"Illisible\",\"dateDepot\":\"2024-02-03T09:00:00+01:00\"");
  EXPECT_EQ(portal.import(document, {}, small_templates()).deposits, 2U);
  EXPECT_EQ(deposits(), 3U);

  // No deposit, although another field changes; Z and +00:00 are equal.
  document = with(document, "2024-02-02T09:00:00Z", "2024-02-02T09:00:00+00:00");
  document = with(document, "\"Prêt\"", "\"Prêt immobilier\"");
  const ImportReport report = portal.import(document, {}, small_templates());
  EXPECT_EQ(report.deposits, 0U);
  EXPECT_EQ(counts(report.of(Section::bundles)), "0 added, 1 changed, 1 unchanged, 0 removed");
  EXPECT_EQ(deposits(), 3U);

  // A removed deposit is not counted, but counts when it is added again.
  portal.import(with(document, "\"2024-02-02T09:00:00+00:00\"", "null"), {}, small_templates());
  EXPECT_EQ(deposits(), 3U);
  portal.import(document, {}, small_templates());
  EXPECT_EQ(deposits(), 4U);
}

TEST(Import, KeepsElementsThatTheDocumentLacks) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();
  portal.import("{}");
  EXPECT_EQ(portal.contents(), before);
  portal.import(R"({"objetsCourrier":[],"tiers":[],"liasses":[]})");
  EXPECT_EQ(portal.contents(), before);
  EXPECT_EQ(
      lines_of(portal.import(R"({"droits":[]})")),
      "droits: the section is empty, so the import would remove all stored elements; to allow this, give --yes (over "
      "HTTP: allowEmptySections=true)\n");
  EXPECT_EQ(portal.contents(), before);
  const ImportReport report = portal.import(R"({"droits":[]})", {.allow_empty_sections = true});  // replaced whole
  EXPECT_EQ(counts(report.of(Section::grants)), "0 added, 0 changed, 0 unchanged, 2 removed");
  EXPECT_EQ(portal.value("droits"), "");
}

TEST(Import, RemovesRemovedPeopleFromTheIndexes) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.import(with(small_document, R"(["sub-c1","sub-c2"])", R"(["sub-c3"])"), {}, small_templates());
  EXPECT_EQ(portal.value("utilisateur.sub-c1.0"), "1\t\"sub-c1\"\n\"L-1\"\t\"T1\"\n");
  EXPECT_EQ(portal.value("utilisateur.sub-c2.0"), "(absent)");
  EXPECT_EQ(portal.value("utilisateur.sub-c3.0"), "1\t\"sub-c3\"\n\"L-2\"\t\"T2\"\n");
}

TEST(Import, SplitsTemplatesAndRemovesThePartsThatANewOneDoesNotNeed) {
  Portal portal;
  const std::string large = std::string(max_value_size, 'a') + "b";
  portal.import(small_document, {}, {{"modeles/rib.pdf", large}});
  EXPECT_EQ(portal.value("modele.2.0"), std::string(max_value_size, 'a'));
  EXPECT_EQ(portal.value("modele.2.1"), "b");
  const ImportReport report = portal.import(small_document, {}, small_templates());
  EXPECT_EQ(counts(report.of(Section::mail_objects)), "0 added, 1 changed, 1 unchanged, 0 removed");
  EXPECT_EQ(portal.value("modele.2.0"), "%PDF rib");
  EXPECT_EQ(portal.value("modele.2.1"), "(absent)");
}

TEST(Import, WritesALostTemplateAgain) {
  Portal portal;
  const std::string large = std::string(max_value_size, 'a') + "b";
  portal.import(small_document, {}, {{"modeles/rib.pdf", large}});
  const Contents intact = portal.contents();
  for (const std::string_view key : {"modele.2.0", "modele.2.1"}) {
    portal.remove(key);
    for (const bool dry_run : {true, false}) {
      const ImportReport report = portal.import(small_document, {.dry_run = dry_run}, {{"modeles/rib.pdf", large}});
      EXPECT_EQ(counts(report.of(Section::mail_objects)), "0 added, 1 changed, 1 unchanged, 0 removed");
    }
    EXPECT_EQ(portal.contents(), intact);
  }
}

TEST(Import, NoticesATemplateThatChangesBetweenItsReadings) {
  Portal portal;
  struct Changing : TestInput {
    using TestInput::TestInput;
    Task<std::expected<std::string, std::string>> read_template(Context& context, std::uint64_t mail_object,
                                                                std::string_view path, std::size_t max_size) override {
      auto bytes = co_await TestInput::read_template(context, mail_object, path, max_size);
      co_return *bytes + std::to_string(reads++);
    }
    int reads = 0;
  } input{small_document, small_templates()};
  const ImportReport report = portal.import(input).value();
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_EQ(report.faults[0], "objetsCourrier[1].fichierModele.chemin: the file changed while it was being imported");
  EXPECT_EQ(portal.value("modele.2.0"), "(absent)");
}

TEST(Import, SplitsIndexesInParts) {
  constexpr int bundles = 12'000;
  std::string document =
      R"({"tiers":[{"numeroTiers":"T","nomTiers":"","prenomTiers":"","utilisateurs":["é"],"gestionnaires":[]}],"liasses":[)";
  for (int i = 0; i < bundles; ++i) {
    document += (i == 0 ? "" : ",");
    document += sample_bundle({.id = "bundle-" + std::to_string(i), .third_party = "T"});
  }
  Portal portal;
  EXPECT_EQ(portal.import(document + "]}").of(Section::bundles).added, 12'000U);
  const Contents parts = portal.contents("utilisateur.");
  EXPECT_EQ(parts.size(), 2U);
  EXPECT_TRUE(parts.at("utilisateur.=C3=A9.0").starts_with("2\t\"é\"\n\"bundle-0\"\t\"T\"\n"));
  std::size_t lines = 0;
  for (const auto& [_, part] : parts) lines += static_cast<std::size_t>(std::ranges::count(part, '\n'));
  EXPECT_EQ(lines, 12'001U);
}

TEST(Import, CommitsAtMostAThousandEntitiesAtATime) {
  struct MaxWriteSize : ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Task<void> write(Context& context, std::span<const Change> changes) override {
      max_size = std::max(max_size, changes.size());
      return target().write(context, changes);
    }
    std::size_t max_size = 0;
  };
  Portal portal;
  MaxWriteSize store(portal.memory);
  std::string document = "{\"tiers\":[";
  for (int i = 0; i < 2'500; ++i) {
    document += (i == 0 ? "" : ",");
    document += "{\"numeroTiers\":\"" + std::to_string(i) +
                R"(","nomTiers":"","prenomTiers":"","utilisateurs":[],"gestionnaires":[]})";
  }
  TestInput input(document + "]}");
  EXPECT_EQ(portal.import(input, {}, &store)->of(Section::third_parties).added, 2'500U);
  EXPECT_EQ(store.max_size, 1'000U);
}

TEST(Import, ReportsProgress) {
  struct RecordedProgress : ImportProgress {
    void advance(ImportPhase phase, std::uint64_t done) override { last[static_cast<std::size_t>(phase)] = done; }
    std::array<std::uint64_t, 3> last{};
  } progress;
  Portal portal;
  TestInput input{small_document, small_templates()};
  ASSERT_TRUE(run_ready(import_document(portal.test.context, portal.memory, input, {}, progress)));
  EXPECT_EQ(progress.last, (std::array<std::uint64_t, 3>{small_document.size(), small_document.size(), 4}));
}

}  // namespace
}  // namespace portail
