// Every refusal of an import (docs/how-to/import.md, "Faults"), with its line. Nothing is written.

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

// Returns the faults of a document, which must not be written.
std::string faults(std::string_view document, const ImportOptions& options = {}, Files templates = small_templates()) {
  Portal portal;
  const ImportReport report = portal.import(document, options, std::move(templates));
  EXPECT_TRUE(portal.contents().empty());
  EXPECT_EQ(report.fault_count, report.faults.size());
  EXPECT_FALSE(report.partially_written);
  return lines_of(report);
}

std::string faults_of_change(std::string_view from, std::string_view to) {
  return faults(with(small_document, from, to));
}

TEST(Refusals, UnchangedDocumentIsAccepted) {
  Portal portal;
  EXPECT_EQ(lines_of(portal.import(small_document, {}, small_templates())), "");
}

TEST(Refusals, InvalidDocument) {
  EXPECT_EQ(faults(""), "document: the document is empty (line 1)\n");
  EXPECT_EQ(faults("{\"tiers\":[],\"tiers\":[]}"), "document: duplicate section \"tiers\" (line 1)\n");
}

TEST(Refusals, BundleFields) {
  const auto change = faults_of_change;
  EXPECT_EQ(change("\"id\":\"L-2\"", "\"id\":\"Dashboard-List\""), "liasses[1].id: must not be dashboard-list\n");
  EXPECT_EQ(change("\"id\":\"L-2\"", "\"id\":\"..\""), "liasses[1].id: must not be . or ..\n");
  EXPECT_EQ(change("\"id\":\"L-2\"", "\"id\":\"a/b\""),
            "liasses[1].id: must not contain /, % or a control character\n");
  EXPECT_EQ(change("\"id\":\"L-2\"", "\"id\":\"a\\u0000b\""),
            "liasses[1].id: must not contain /, % or a control character\n");
  EXPECT_EQ(change("\"id\":\"L-2\"", "\"id\":2"), "liasses[1].id: must be a string\n");
  EXPECT_EQ(change("\"id\":\"L-2\",", ""), "liasses[1].id: missing\n");
  EXPECT_EQ(change("\"L-2\"", "\"L-1\""), "liasses[1].id: duplicate id\n");
  EXPECT_EQ(change("\"nomDossier\":\"Auto\"", "\"nomDossier\":null"), "liasses[1].nomDossier: must be a string\n");
  EXPECT_EQ(change("2024-01-16T00:00:00Z", "2024-01-16T00:00:00"),
            "liasses[1].creationDate: the date's offset is missing\n");
  EXPECT_EQ(change("2024-01-16T00:00:00Z", "2024-02-30T00:00:00Z"), "liasses[1].creationDate: not a calendar date\n");
  EXPECT_EQ(change("\"2024-01-16T00:00:00Z\"", "5"), "liasses[1].creationDate: must be a string\n");
  EXPECT_EQ(change("-0.5", "5e2"), "liasses[1].montantOpportunite: an amount must not have an exponent\n");
  EXPECT_EQ(change("-0.5", "123456789012345678901234567890"),
            "liasses[1].montantOpportunite: an amount must be a System.Decimal: at most 79228162514264337593543950335 "
            "without its sign and point, and at most 28 decimals\n");
  EXPECT_EQ(change("-0.5", "1e400"), "liasses[1].montantOpportunite: an amount must not have an exponent\n");
  EXPECT_EQ(change("-0.5", std::string(400, '9') + ".0"),
            "liasses[1].montantOpportunite: an amount must be a System.Decimal: at most 79228162514264337593543950335 "
            "without its sign and point, and at most 28 decimals\n");
  EXPECT_EQ(change("-0.5", "1."), "liasses[1]: a malformed JSON number, or one out of range (line 11)\n");
  EXPECT_EQ(change("-0.5", "1e3,\"x\":1e400"), "liasses[1]: a malformed JSON number, or one out of range (line 11)\n");
  EXPECT_EQ(change("2024-01-16T00:00:00Z", "0001-01-01T00:00:00+00:01"),
            "liasses[1].creationDate: must be between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z in UTC "
            "(DateTimeOffset)\n");
  EXPECT_EQ(change("-0.5", "\"5\""), "liasses[1].montantOpportunite: must be a number\n");
  EXPECT_EQ(change("-0.5", "null"), "liasses[1].montantOpportunite: must be a number\n");
  EXPECT_EQ(change("\"montantOpportunite\":-0.5,", ""), "liasses[1].montantOpportunite: missing\n");
  EXPECT_EQ(change("MiseEnPlace\":true", "MiseEnPlace\":1"),
            "liasses[1].opportuniteMiseEnPlace: must be true or false\n");
  EXPECT_EQ(change("\"piecesAttendues\":[]}", "\"piecesAttendues\":{}}"),
            "liasses[1].piecesAttendues: must be an array\n");
  EXPECT_EQ(change("\"numeroPret\":\"\"", "\"numeroPret\":\"\",\"statuts\":1"),
            "liasses[1]: unknown member \"statuts\"\n");
}

TEST(Refusals, PieceFields) {
  const auto change = faults_of_change;
  EXPECT_EQ(change("3f2504e0-4f89-41d3-9a0c-0305e82c3302", "3f2504e0"),
            "liasses[0].piecesAttendues[1].id: not a UUID\n");
  EXPECT_EQ(change("3f2504e0-4f89-41d3-9a0c-0305e82c3302", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
            "liasses[0].piecesAttendues[1].id: duplicate id\n");
  EXPECT_EQ(change("\"objetCourrier\":2", "\"objetCourrier\":\"2\""),
            "liasses[0].piecesAttendues[1].objetCourrier: must be an integer from 0 to 9007199254740991\n");
  EXPECT_EQ(change("\"statut\":\"Rejeté\",", ""), "liasses[0].piecesAttendues[1].statut: missing\n");
  EXPECT_EQ(change("\"motif\":\"Illisible\"", "\"motif\":[]"),
            "liasses[0].piecesAttendues[1].motif: must be a string\n");
  EXPECT_EQ(change("2024-02-01T09:00:00Z", "2024-02-01"),
            "liasses[0].piecesAttendues[0].dateDepot: not a date and time like 2024-01-15T10:30:00+01:00\n");
  EXPECT_EQ(change("\"piecesAttendues\":[]}", "\"piecesAttendues\":[7]}"),
            "liasses[1].piecesAttendues[0]: must be an object\n");
}

TEST(Refusals, OptionalFieldsMayBeAbsentOrNull) {
  EXPECT_EQ(faults(R"({"objetsCourrier":[{"id":1,"typeObjet":"a","description":"","utilisablePourLiasse":true,
      "typeAffectation":"Rien","fichierModele":null},1]})"),
            "objetsCourrier[1]: must be an object\n");
}

TEST(Refusals, MailObjectFields) {
  const auto change = faults_of_change;
  constexpr std::string_view no_id = "objetsCourrier[1].id: must be an integer from 0 to 9007199254740991\n";
  EXPECT_EQ(change("\"id\":2", "\"id\":-2"), no_id);
  EXPECT_EQ(change("\"id\":2", "\"id\":2.0"), no_id);
  EXPECT_EQ(change("\"id\":2", "\"id\":9007199254740992"), no_id);
  EXPECT_EQ(change("\"id\":2", "\"id\":99999999999999999999"), no_id);
  EXPECT_EQ(change("\"id\":2", "\"id\":" + std::string(309, '9')), no_id);
  EXPECT_EQ(change("\"id\":2", "\"id\":\"2\""), no_id);
  EXPECT_EQ(change("\"id\":2", "\"id\":1"), "objetsCourrier[1].id: duplicate id\n");
  EXPECT_EQ(change("\"RIB\"", "\"\""), "objetsCourrier[1].typeObjet: must not be empty\n");
  EXPECT_EQ(change("\"Rien\"", "\"rien\""),
            "objetsCourrier[1].typeAffectation: must be Rien, Optionnel or Obligatoire\n");
  EXPECT_EQ(change("\"description\":\"Relevé\",", ""), "objetsCourrier[1].description: missing\n");
  EXPECT_EQ(change("\"utilisablePourLiasse\":false", "\"utilisablePourLiasse\":\"false\""),
            "objetsCourrier[1].utilisablePourLiasse: must be true or false\n");
  const std::string long_text(65'537, 'x');
  EXPECT_EQ(change("\"Relevé\"", '"' + long_text + '"'), "objetsCourrier[1].description: longer than 65536 bytes\n");
}

TEST(Refusals, TemplateFiles) {
  const auto change = faults_of_change;
  EXPECT_EQ(change("modeles/rib.pdf", "../rib.pdf"),
            "objetsCourrier[1].fichierModele.chemin: must not contain an empty, . or .. segment\n");
  EXPECT_EQ(change("modeles/rib.pdf", "/rib.pdf"),
            "objetsCourrier[1].fichierModele.chemin: must be a path relative to the document's folder\n");
  EXPECT_EQ(change("modeles/rib.pdf", "modeles/rob.pdf"), "objetsCourrier[1].fichierModele.chemin: no such file\n");
  EXPECT_EQ(change("modèle rib.pdf", "a/b.pdf"),
            "objetsCourrier[1].fichierModele.nomFichier: must not contain /, \\ or a control character\n");
  EXPECT_EQ(
      change("\"type\":\"application/pdf\"", "\"type\":\"text/html\""),
      "objetsCourrier[1].fichierModele.type: must be one of application/pdf, an OpenDocument or Office Open XML text "
      "or spreadsheet, image/jpeg, image/png, text/plain\n");
  EXPECT_EQ(change(",\"type\":\"application/pdf\"", ""), "objetsCourrier[1].fichierModele.type: missing\n");
  EXPECT_EQ(faults(small_document, {}, {{"modeles/rib.pdf", ""}}),
            "objetsCourrier[1].fichierModele.chemin: an empty file\n");
  EXPECT_EQ(faults(small_document, {.max_template_size = 7}),
            "objetsCourrier[1].fichierModele.chemin: larger than 7 bytes\n");
}

TEST(Refusals, ThirdPartyFields) {
  const auto change = faults_of_change;
  EXPECT_EQ(change("\"numeroTiers\":\"T2\",\"nomTiers\"", "\"numeroTiers\":\"T1\",\"nomTiers\""),
            "tiers[1].numeroTiers: duplicate id\n");
  EXPECT_EQ(change("\"numeroTiers\":\"T2\",\"nomTiers\"", "\"numeroTiers\":\"\",\"nomTiers\""),
            "tiers[1].numeroTiers: must not be empty\n");
  EXPECT_EQ(change("\"prenomTiers\":\"\",", ""), "tiers[1].prenomTiers: missing\n");
  EXPECT_EQ(change("\"sub-c2\"", "\"\""), "tiers[1].utilisateurs[1]: must not be empty\n");
  EXPECT_EQ(change("\"sub-c2\"", "7"), "tiers[1].utilisateurs[1]: must be a string\n");
  EXPECT_EQ(change("\"sub-c2\"", "\"sub-c1\""), "tiers[1].utilisateurs[1]: duplicate\n");
  EXPECT_EQ(change("\"sub-c2\"", '"' + std::string(256, 's') + '"'),
            "tiers[1].utilisateurs[1]: longer than 255 bytes\n");
  EXPECT_EQ(change("\"gestionnaires\":[]", "\"gestionnaires\":\"\""), "tiers[1].gestionnaires: must be an array\n");
}

TEST(Refusals, Grants) {
  const auto change = faults_of_change;
  EXPECT_EQ(change("PortailClients.Dashboard.Host", "PortailClients.Dashboard"),
            "droits[0].permission: unknown permission\n");
  EXPECT_EQ(change("\"role\":\"gestionnaire\"", "\"role\":\"a\",\"client\":\"b\""),
            "droits[0]: must have exactly one of utilisateur, role and client\n");
  EXPECT_EQ(change(",\"role\":\"gestionnaire\"", ""),
            "droits[0]: must have exactly one of utilisateur, role and client\n");
  EXPECT_EQ(change("\"role\":\"gestionnaire\"", "\"role\":1"), "droits[0].role: must be a string\n");
  EXPECT_EQ(change("\"role\":\"gestionnaire\"", "\"roles\":\"a\""),
            "droits[0]: unknown member \"roles\"\ndroits[0]: must have exactly one of utilisateur, role and client\n");
}

TEST(Refusals, DanglingReferences) {
  const auto change = faults_of_change;
  EXPECT_EQ(change("\"numeroTiers\":\"T2\",\"numeroPret\"", "\"numeroTiers\":\"T9\",\"numeroPret\""),
            "liasses[1].numeroTiers: no third party has the number \"T9\"\n");
  EXPECT_EQ(change("\"objetCourrier\":2", "\"objetCourrier\":9"),
            "liasses[0].piecesAttendues[1].objetCourrier: no mail object has the id 9\n");
}

TEST(Refusals, ReferencesAreFoundInTheStoreAndLaterInTheDocument) {
  Portal portal;
  const std::string bundles = "\"liasses\":[" + sample_bundle({.third_party = "T"}) + "]";
  constexpr std::string_view third_party =
      R"({"numeroTiers":"T","nomTiers":"","prenomTiers":"","utilisateurs":[],"gestionnaires":[]})";
  EXPECT_EQ(lines_of(portal.import("{" + bundles + ",\"tiers\":[" + std::string(third_party) + "]}")), "");
  EXPECT_EQ(lines_of(portal.import("{" + bundles + "}")), "");
}

TEST(Refusals, AllFaultsAreCountedAndAHundredAreReported) {
  std::string document = "{\"tiers\":[";
  for (int i = 0; i < 150; ++i) document += i == 0 ? "0" : ",0";
  Portal portal;
  const ImportReport report = portal.import(document + "]}");
  EXPECT_EQ(report.fault_count, 150U);
  EXPECT_EQ(report.faults.size(), 100U);
  EXPECT_EQ(report.faults.back(), "tiers[99]: must be an object");
}

TEST(Refusals, SeveralFaultsOfOneElement) {
  EXPECT_EQ(faults(R"({"liasses":[{"id":"","piecesAttendues":[{"id":""}]}]})"),
            "liasses[0].id: must not be empty\n"
            "liasses[0].nomDossier: missing\n"
            "liasses[0].creationDate: missing\n"
            "liasses[0].numeroTiers: missing\n"
            "liasses[0].numeroPret: missing\n"
            "liasses[0].montantOpportunite: missing\n"
            "liasses[0].opportuniteMiseEnPlace: missing\n"
            "liasses[0].piecesAttendues[0].id: not a UUID\n"
            "liasses[0].piecesAttendues[0].objetCourrier: missing\n"
            "liasses[0].piecesAttendues[0].statut: missing\n");
}

TEST(Refusals, ValuesOverTheStoresLimit) {
  std::string people;
  for (int i = 0; i < 30'000; ++i) people += (i == 0 ? "\"" : ",\"") + std::to_string(i) + '"';
  EXPECT_EQ(faults("{\"tiers\":[{\"numeroTiers\":\"T\",\"nomTiers\":\"\",\"prenomTiers\":\"\",\"utilisateurs\":[" +
                   people + "],\"gestionnaires\":[]}]}"),
            "tiers[0]: too large: over 256 KiB when stored\n");
}

TEST(Refusals, StoresOfAnotherLayout) {
  Portal portal;
  portal.put("format", "2");
  EXPECT_EQ(
      lines_of(portal.import(small_document, {}, small_templates())),
      "store: the store was written by a newer version of portail: use that version, or import into a new store\n");
  EXPECT_EQ(portal.contents().size(), 1U);
}

TEST(Refusals, DocumentThatChangesBetweenItsReadings) {
  Portal portal;
  TestInput input{small_document, small_templates()};
  input.before_second_reading = [&] { input.text = with(input.text, "\"Prêt\"", "\"Pret\""); };
  const ImportReport report = portal.import(input).value();
  EXPECT_EQ(lines_of(report), "document: it changed while it was being imported; import it again\n");
  EXPECT_TRUE(report.partially_written);
}

}  // namespace
}  // namespace portail
