#include "core/exchange/export.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

TextSink exported(Portal& portal) {
  TextSink sink;
  EXPECT_TRUE(run_ready(export_document(portal.test.context, portal.memory, sink)));
  return sink;
}

TEST(Export, GivesTheDocumentBack) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("configuration", "1\tfalse\tOptionnel\n2\tfalse\tRien\n");  // as a PUT does
  const TextSink sink = exported(portal);
  EXPECT_EQ(sink.text, R"({"objetsCourrier":[
{"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":false,"typeAffectation":"Optionnel","fichierModele":null},
{"id":2,"typeObjet":"RIB","description":"Relevé","utilisablePourLiasse":false,"typeAffectation":"Rien","fichierModele":{"nomFichier":"modèle rib.pdf","chemin":"modeles/2-modèle rib.pdf","type":"application/pdf"}}
],
"tiers":[
{"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["sub-c1"],"gestionnaires":["sub-m1"]},
{"numeroTiers":"T2","nomTiers":"Maçon","prenomTiers":"","utilisateurs":["sub-c1","sub-c2"],"gestionnaires":[]}
],
"liasses":[
{"id":"L-1","nomDossier":"Prêt","creationDate":"2024-01-15T10:30:00.250+01:00","numeroTiers":"T1","numeroPret":"P-1","montantOpportunite":150000.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","objetCourrier":1,"statut":"Déposé","motif":null,"dateDepot":"2024-02-01T09:00:00+00:00"},{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","objetCourrier":2,"statut":"Rejeté","motif":"Illisible","dateDepot":null}]},
{"id":"L-2","nomDossier":"Auto","creationDate":"2024-01-16T00:00:00+00:00","numeroTiers":"T2","numeroPret":"","montantOpportunite":-0.5,"opportuniteMiseEnPlace":true,"piecesAttendues":[]}
],
"droits":[
{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"},
{"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"sub-admin"}
]}
)");
  EXPECT_EQ(sink.files, (Files{{"modeles/2-modèle rib.pdf", "%PDF rib"}}));
}

TEST(Export, OfAnEmptyStoreIsADocumentToo) {
  Portal portal;
  EXPECT_EQ(exported(portal).text, "{\"objetsCourrier\":[],\n\"tiers\":[],\n\"liasses\":[],\n\"droits\":[]}\n");
}

TEST(Export, OfAnImportedExportIsTheSame) {
  Portal portal;
  std::string document = with(small_document, "\"L-2\"", "\"" + std::string(255, 'L') + "\"");  // its key is a hash
  document = with(document, "\"Auto\"", R"("\u0041\t\"\\\/\u0001\ud83d\ude00")");
  portal.import(document, {}, {{"modeles/rib.pdf", std::string(600'000, 'x')}});
  const TextSink first = exported(portal);

  Portal copy;
  const ImportReport report = copy.import(first.text, {}, first.files);
  ASSERT_TRUE(report.faults.empty()) << report.faults.front();
  EXPECT_EQ(copy.contents(), portal.contents());
  const TextSink second = exported(copy);
  EXPECT_EQ(second.text, first.text);
  EXPECT_EQ(second.files, first.files);
}

// Every control character of terminals is escaped: the document is equivalent, and so is its import.
TEST(Export, EscapesTerminalControlCharacters) {
  std::string all = R"(\\\"|)";  // what escapes stand beside
  std::string escaped = R"(\\\"|)";
  std::size_t count = 0;
  for (const auto& [first, last] :
       {std::pair{0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}}) {
    for (int code = first; code <= last; ++code, ++count) {
      char digits[8];
      std::snprintf(digits, sizeof digits, "\\u%04x", code);
      escaped += digits;
      if (code >= 0x800) all += static_cast<char>(0xe0 | code >> 12);
      if (code >= 0x80) all += static_cast<char>(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
      all += static_cast<char>(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
    }
  }
  EXPECT_EQ(count, 33U + 1U + 2U + 7U + 4U);
  std::string document(small_document);
  for (const std::string_view text : {"Relevé", "Durand", "sub-c1", "Auto", "Déposé", "Illisible", "gestionnaire\"}"}) {
    const std::string_view end = text.ends_with("\"}") ? "\"}" : "";
    document = with(document, text, std::string(text.substr(0, text.size() - end.size())) + escaped + std::string(end));
  }
  Portal portal;
  const ImportReport imported = portal.import(document, {}, small_templates());
  ASSERT_TRUE(imported.faults.empty()) << imported.faults.front();
  const TextSink first = exported(portal);
  EXPECT_EQ(first.text.find("\u009b"), std::string::npos);
  std::size_t occurrences = 0;
  for (std::size_t at = first.text.find(escaped); at != std::string::npos; at = first.text.find(escaped, at + 1))
    ++occurrences;
  EXPECT_EQ(occurrences, 7U);
  EXPECT_TRUE(portal.value("liasse.=4C-2").contains("Auto" + all)) << "stored as it was meant";

  Portal copy;
  EXPECT_EQ(lines_of(copy.import(first.text, {}, first.files)), "");
  EXPECT_EQ(copy.contents(), portal.contents());
  EXPECT_EQ(exported(copy).text, first.text);
}

TEST(Export, FailsIfAValueIsNotUtf8) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("tiers.=541", "\"T1\"\t\"Dur\x9b\"\t\"\"\n");
  ASSERT_TRUE(portal.contents().contains("tiers.=541"));
  TextSink sink;
  EXPECT_EQ(run_ready(export_document(portal.test.context, portal.memory, sink)).error(), Failure::corrupt);
}

TEST(Export, EndsWhereItsSinkDoes) {
  struct Full : TextSink {
    bool write(std::string_view bytes) override { return calls-- > 0 && TextSink::write(bytes); }
    int calls = 0;
  };
  Portal portal;
  portal.import(small_document, {}, small_templates());
  constexpr int all_calls = 7;  // one for each of the six elements before the grants
  for (int calls = 0; calls < all_calls; ++calls) {
    Full sink;
    sink.calls = calls;
    EXPECT_EQ(run_ready(export_document(portal.test.context, portal.memory, sink)).error(), Failure::cancelled)
        << calls;
  }
  Full sink;
  sink.calls = all_calls;
  EXPECT_TRUE(run_ready(export_document(portal.test.context, portal.memory, sink)));
}

TEST(Export, ReportsCorruptValues) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("liasse.=4C-2", "rubbish");
  TextSink sink;
  EXPECT_EQ(run_ready(export_document(portal.test.context, portal.memory, sink)).error(), Failure::corrupt);
}

}  // namespace
}  // namespace portail
