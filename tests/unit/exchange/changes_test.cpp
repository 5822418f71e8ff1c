// The changes that an import reports.
#include "core/exchange/changes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

using ChangeTexts = std::vector<std::string>;

struct RecordedChanges final : ImportChangeListener {
  void on_change(const EntityChange& change) override {
    std::string line = change.kind == ChangeKind::added ? "+ " : change.kind == ChangeKind::changed ? "~ " : "- ";
    line.append(name_of(change.section)).append(" ").append(change.entity);
    for (const std::string_view member : change.members) line.append(" ").append(member);
    lines.push_back(line);
    for (const PieceChange& piece : change.pieces) {
      pieces.push_back(std::string(piece.id.substr(piece.id.size() - 2))
                           .append(" ")
                           .append(piece.from)
                           .append(" ")
                           .append(piece.to));
    }
  }
  ChangeTexts lines;
  ChangeTexts pieces;
};

// The changes of importing the document over a store with small_document.
ChangeTexts changes_by(const std::string& document, ImportOptions options = {}) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const Contents before = portal.contents();
  RecordedChanges changes;
  options.change_listener = &changes;
  options.dry_run = true;
  const ImportReport dry = portal.import(document, options, small_templates());
  EXPECT_TRUE(dry.faults.empty()) << lines_of(dry);
  EXPECT_EQ(portal.contents(), before);
  const ChangeTexts noted_dry = std::exchange(changes.lines, {});
  options.dry_run = false;
  portal.import(document, options, small_templates());
  EXPECT_EQ(changes.lines, noted_dry) << "a dry run notes what the import does";
  return noted_dry;
}

TEST(ImportChangeListener, UnchangedElementsAreNotReported) { EXPECT_EQ(changes_by(small_document), ChangeTexts()); }

TEST(ImportChangeListener, EachEntityOfAnEmptyStoreIsAddedBeforeWhatRefersToIt) {
  const std::string& document = small_document;
  const std::size_t third_parties = document.find("\"tiers\":[");
  const std::size_t bundles = document.find("\"liasses\":[");
  const std::size_t grants = document.find("\"droits\":[");
  const std::string bundles_first = "{" + document.substr(bundles, grants - bundles) +
                                    document.substr(third_parties, bundles - third_parties) +
                                    document.substr(1, third_parties - 1) + document.substr(grants);
  for (const std::string& each : {document, bundles_first}) {
    Portal portal;
    RecordedChanges changes;
    portal.import(each, {.change_listener = &changes}, small_templates());
    EXPECT_EQ(changes.lines,
              (ChangeTexts{"+ objetsCourrier 1", "+ objetsCourrier 2", "+ tiers \"T1\"", "+ tiers \"T2\"",
                           "+ liasses \"L-1\"", "+ liasses \"L-2\"",
                           "+ droits PortailClients.Dashboard.Host\trole\t\"gestionnaire\"",
                           "+ droits PortailClients.ObjetsCourrier.Update\tutilisateur\t\"sub-admin\""}));
  }
}

TEST(ImportChangeListener, OfAChangedEntityTheMembersThatDiffer) {
  const std::string& document = small_document;
  EXPECT_EQ(changes_by(with(with(document, "Durand", "Dupont"), "sub-m1", "sub-m2")),
            ChangeTexts{"~ tiers \"T1\" nomTiers gestionnaires"});
  EXPECT_EQ(changes_by(with(with(document, "\"Maçon\",\"prenomTiers\":\"\"", "\"Maçon\",\"prenomTiers\":\"Ana\""),
                            ",\"sub-c2\"", "")),
            ChangeTexts{"~ tiers \"T2\" prenomTiers utilisateurs"});
  EXPECT_EQ(changes_by(with(with(with(document, "Auto", "Moto"), "-0.5", "-0.6"), "MiseEnPlace\":true",
                            "MiseEnPlace\":false")),
            ChangeTexts{"~ liasses \"L-2\" nomDossier montantOpportunite opportuniteMiseEnPlace"});
  EXPECT_EQ(changes_by(with(with(document, "P-1", "P-2"), "2024-01-15T10:30:00.250", "2024-01-15T10:31:00.250")),
            ChangeTexts{"~ liasses \"L-1\" creationDate numeroPret"});
  EXPECT_EQ(changes_by(with(document, "Illisible", "Flou")), ChangeTexts{"~ liasses \"L-1\" piecesAttendues"});
  EXPECT_EQ(
      changes_by(with(document, "\"numeroTiers\":\"T2\",\"numeroPret\"", "\"numeroTiers\":\"T1\",\"numeroPret\"")),
      ChangeTexts{"~ liasses \"L-2\" numeroTiers"});
  EXPECT_EQ(changes_by(with(with(document, "Relevé", "Relevé d'identité"), "modèle rib.pdf", "rib.pdf")),
            ChangeTexts{"~ objetsCourrier 2 description fichierModele"});
  EXPECT_EQ(changes_by(with(document, "CNI", "CNIE")), ChangeTexts{"~ objetsCourrier 1 typeObjet"});
}

TEST(ImportChangeListener, OfABundleThePiecesWithAnotherStatus) {
  const std::string& document = small_document;
  const auto pieces_of = [](Portal& portal, std::string_view changed, ImportOptions options = {}) {
    RecordedChanges changes;
    options.change_listener = &changes;
    portal.import(changed, options, small_templates());
    return changes.pieces;
  };
  Portal portal;
  EXPECT_EQ(pieces_of(portal, document), (ChangeTexts{R"(01 null "Déposé")", R"(02 null "Rejeté")"}));
  EXPECT_EQ(pieces_of(portal, with(document, "Illisible", "Flou")), ChangeTexts());       // another reason only
  EXPECT_EQ(pieces_of(portal, with(document, "Rejeté", "Rejete\u0301")), ChangeTexts());  // the same text
  EXPECT_EQ(pieces_of(portal, with(document, R"("statut":"Rejeté")", R"("statut":"Attendu")")),
            ChangeTexts{"02 \"Rejete\u0301\" \"Attendu\""});
  EXPECT_EQ(pieces_of(portal, with(document, "0305e82c3302", "0305e82c3303")),
            (ChangeTexts{R"(03 null "Rejeté")", R"(02 "Attendu" null)"}));
  EXPECT_EQ(pieces_of(portal, R"({"liasses":[]})", {.prune = true, .allow_empty_sections = true}),
            (ChangeTexts{R"(01 "Déposé" null)", R"(03 "Rejeté" null)"}));
}

TEST(ImportChangeListener, AConfigurationIsReportedOnlyIfReplaced) {
  const std::string document =
      with(with(small_document, "true,\"typeAffectation\":\"Obligatoire\"", "false,\"typeAffectation\":\"Rien\""),
           "CNI", "CNIE");
  EXPECT_EQ(changes_by(document), ChangeTexts{"~ objetsCourrier 1 typeObjet"});
  EXPECT_EQ(changes_by(document, {.replace_configuration = true}),
            ChangeTexts{"~ objetsCourrier 1 typeObjet utilisablePourLiasse typeAffectation"});
}

TEST(ImportChangeListener, PrunedElementsAreReportedAsRemoved) {
  const std::string smaller = R"({"objetsCourrier":[
{"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire"}],
"tiers":[{"numeroTiers":"T2","nomTiers":"Maçon","prenomTiers":"","utilisateurs":["sub-c1","sub-c2"],"gestionnaires":[]}],
"liasses":[)" + second_bundle() +
                              R"(],
"droits":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"}]})";
  EXPECT_EQ(changes_by(smaller, {.prune = true}),
            (ChangeTexts{"- tiers \"T1\"", "- liasses \"L-1\"", "- objetsCourrier 2",
                         "- droits PortailClients.ObjetsCourrier.Update\tutilisateur\t\"sub-admin\""}));
}

}  // namespace
}  // namespace portail
