// docs/reference/contract.md, "Import": the rules that are visible over HTTP.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/portal_document.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string admin() { return token(fill("$RUN-admin")); }
Reply read(std::string_view target) { return get(fill(target)).bearer(token(fill("$RUN-client"))).send(); }

// A mail object with number 24 to 39, as in the document and as in the API.
std::string document_object(int number, std::string_view description, std::string_view used,
                            std::string_view assignment) {
  const std::string n = std::to_string(number);
  return R"({"id":$)" + n + R"(,"typeObjet":"$RUN~)" + n + R"(","description":")" + std::string(description) +
         R"(","utilisablePourLiasse":)" + std::string(used) + R"(,"typeAffectation":")" + std::string(assignment) +
         "\"}";
}
std::string wire_object(int number, std::string_view description, std::string_view used, std::string_view assignment) {
  std::string text = document_object(number, description, used, assignment);
  text.pop_back();
  return fill(text + R"(,"lienFichier":null})");
}
std::string objects(const std::string& list) { return R"({"objetsCourrier":[)" + list + "]}"; }

void configure(std::string_view target, std::string_view used, std::string_view assignment) {
  const Reply reply = put(fill(target), R"({"utilisablePourLiasse":)" + std::string(used) + R"(,"typeAffectation":")" +
                                            std::string(assignment) + "\"}")
                          .bearer(admin())
                          .send();
  ASSERT_EQ(reply.status, 200) << describe(reply);
}

TEST(Import, UpsertsById) {
  checks("Import: upserts by id");
  EXPECT_EQ(read("/api/app/objet-courrier/$32").status, 404);
  import_or_fail(objects(document_object(32, "Nouveau", "true", "Optionnel")));
  expect_json(read("/api/app/objet-courrier/$32"), wire_object(32, "Nouveau", "true", "Optionnel"));
  import_or_fail(objects(document_object(32, "Corrigé", "true", "Optionnel")));
  expect_json(read("/api/app/objet-courrier/$32"), wire_object(32, "Corrigé", "true", "Optionnel"));
  expect_json(read("/api/app/objet-courrier/$00"), fill("$O00"));
}

TEST(Import, TextsAreFoundComposedOrNot) {
  checks("Requests: filter");
  for (const std::string_view description : {"Pi\u00e8ce $RUN", "Pie\u0300ce $RUN"}) {
    import_or_fail(objects(document_object(32, description, "true", "Optionnel")));
    for (const std::string_view filter : {"pi%C3%A8ce%20$RUN", "pie%CC%80ce%20$RUN"}) {
      EXPECT_EQ(read("/api/app/objet-courrier?Filter=" + std::string(filter)).body,
                fill(R"({"totalCount":1,"items":[)") + wire_object(32, description, "true", "Optionnel") + "]}")
          << description << filter;
    }
    EXPECT_EQ(read("/api/app/objet-courrier?Filter=piece%20$RUN").body, R"({"totalCount":0,"items":[]})");
  }
}

TEST(Import, KeepsTheConfiguration) {
  checks("Import: keeps the configuration");
  configure("/api/app/objet-courrier/$24", "true", "Obligatoire");
  import_or_fail(objects(document_object(24, "Autre description", "false", "Rien")));
  expect_json(read("/api/app/objet-courrier/$24"), wire_object(24, "Autre description", "true", "Obligatoire"));
}

TEST(Import, ReplacesTheConfigurationIfRequested) {
  checks("Import: --replace-configuration");
  configure("/api/app/objet-courrier/$28", "true", "Obligatoire");
  import_or_fail(objects(document_object(28, "Objet 28", "false", "Optionnel")), "--replace-configuration");
  expect_json(read("/api/app/objet-courrier/$28"), wire_object(28, "Objet 28", "false", "Optionnel"));
}

TEST(Import, DryRunChangesNothing) {
  checks("Import: --dry-run");
  const std::string before = read("/api/app/objet-courrier/$25").body;
  import_or_fail(
      objects(document_object(25, "À sec", "true", "Optionnel") + "," + document_object(33, "À sec", "true", "Rien")),
      "--dry-run");
  EXPECT_EQ(read("/api/app/objet-courrier/$25").body, before);
  EXPECT_EQ(read("/api/app/objet-courrier/$33").status, 404);
}

TEST(Import, Prune) {
  checks("Import: --prune");
  if (!environment().may_prune) GTEST_SKIP() << "PORTAIL_CONTRACT_MAY_PRUNE is not 1";
  const std::string list = read("/api/app/objet-courrier/list-all").body;
  EXPECT_NE(import_document(R"({"objetsCourrier":[]})", "--prune").status, 0)
      << "refuses to empty a section without --yes";
  EXPECT_NE(import_document(R"({"liasses":[]})", "--prune").status, 0);
  EXPECT_EQ(read("/api/app/objet-courrier/list-all").body, list);
  EXPECT_EQ(get("/api/app/liasse").bearer(token(fill("$RUN-other"))).send().body, "[" + other_bundle() + "]");

  // The complete section without one bundle, and without those of earlier runs. Only sections of the document are
  // pruned.
  import_or_fail(R"({"liasses":[)" + document_bundle({.id = "$RUN-de-trop"}) + "]}");
  const auto status_of_surplus = [] {
    return get(fill("/api/app/liasse/$RUN-de-trop")).bearer(token(fill("$RUN-stranger"))).send().status;
  };
  EXPECT_EQ(status_of_surplus(), 200);
  import_or_fail(R"({"liasses":[)" + data_set_bundles() + "]}", "--prune");
  EXPECT_EQ(status_of_surplus(), 404);
  EXPECT_EQ(get("/api/app/liasse").bearer(token(fill("$RUN-other"))).send().body, "[" + other_bundle() + "]");
  EXPECT_EQ(read("/api/app/objet-courrier/list-all").body, list) << "a section that the document does not hold";
}

TEST(Import, AnInvalidDocumentChangesNothing) {
  checks("Import: refused, changing nothing");
  const std::string before = read("/api/app/objet-courrier/$30").body;
  const std::string good = document_object(30, "Refusé avec le reste", "true", "Optionnel");
  const std::string refused =
      document_bundle({.id = "$RUN-refusee",
                       .third_party = "$RUN-T1",
                       .pieces = R"({"id":"x","objetCourrier":$00,"statut":"Attendu","motif":null})"});
  const std::string invalid = R"({"objetsCourrier":[)" + good + R"(],"liasses":[)" + refused + "]}";
  // tests/unit/exchange/refusals_test.cpp has the others.
  for (const auto& [document, line] : std::vector<std::pair<std::string, std::string>>{
           {invalid, "liasses[0].piecesAttendues[0].id: not a UUID\n"},
           {objects(good + "," + good), ""},
           {objects(good).substr(0, 60), ""},
           {R"({"objetsCourrier":[)" + good + R"(],"droits":[{"permission":"Autre","role":"x"}]})", "droits[0]"}}) {
    SCOPED_TRACE(document);
    const CommandResult result = import_document(document);
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_NE(result.output.find(line), std::string::npos) << result.output;
    EXPECT_EQ(read("/api/app/objet-courrier/$30").body, before);
  }
  EXPECT_EQ(read("/api/app/liasse/$RUN-refusee").status, 404);
  EXPECT_EQ(get("/api/app/liasse/dashboard-list").bearer(admin()).send().status, 403) << "the grants are as they were";
}

TEST(Import, TypesAreUnique) {
  checks("Import: typeObjet is unique");
  const auto pair = [](std::string_view first, std::string_view second) {
    const auto object = [](std::string_view number, std::string_view type) {
      return R"({"id":$)" + std::string(number) + R"(,"typeObjet":"$RUN~)" + std::string(type) +
             R"(","description":"x","utilisablePourLiasse":true,"typeAffectation":"Rien"})";
    };
    return objects(object("37", first) + "," + object("38", second));
  };
  EXPECT_EQ(import_document(pair("37", "37")).status, 1) << "in one document";
  EXPECT_EQ(import_document(pair("24", "38")).status, 1) << "of a stored one that stays";
  EXPECT_EQ(import_document(pair("37\u00e9", "37e\u0301")).status, 1) << "composed or not";
  EXPECT_EQ(read("/api/app/objet-courrier/$37").status, 404);
  import_or_fail(pair("37", "38"));
  EXPECT_EQ(import_document(pair("37", "37")).status, 1);
  import_or_fail(pair("38", "37"));
  EXPECT_NE(read("/api/app/objet-courrier/$37").body.find(fill(R"("typeObjet":"$RUN~38")")), std::string::npos)
      << "as the state after it has them, two may swap theirs";
}

TEST(Import, TemplateFiles) {
  checks("Import: template files");
  const std::string folder = import_folder().path();
  const auto document = [](const std::string& path, const std::string& name = "a.pdf",
                           const std::string& type = "application/pdf") {
    return R"({"objetsCourrier":[{"id":$34,"typeObjet":"$RUN~34","description":"x","utilisablePourLiasse":true,)"
           R"("typeAffectation":"Rien","fichierModele":{"nomFichier":")" +
           name + R"(","chemin":")" + path + R"(","type":")" + type + "\"}}]}";
  };
  write_file(folder + "/modeles/trop.pdf", std::string(5 * 1024 * 1024 + 1, 'x'));
  std::filesystem::create_symlink("/etc/hostname", folder + "/modeles/dehors.pdf");
  for (const std::string& path :
       {std::string("../absent.pdf"), std::string("modeles/../modeles/cni.pdf"), std::string("/etc/hostname"),
        folder + "/modeles/cni.pdf", std::string("modeles"), std::string("modeles/absent.pdf"),
        std::string("modeles/dehors.pdf"), std::string("modeles/trop.pdf"), std::string("")}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(import_document(document(path)).status, 1);
  }
  for (const char* name : {"a/b.pdf", "a\\\\b.pdf", "a\\u0007.pdf", ""})
    EXPECT_EQ(import_document(document("modeles/cni.pdf", name)).status, 1) << name;
  EXPECT_EQ(import_document(document("modeles/cni.pdf", "a.html", "text/html")).status, 1) << "the list is short";
  EXPECT_EQ(read("/api/app/objet-courrier/$34").status, 404);

  import_or_fail(document("modeles/cni.pdf"));
  EXPECT_EQ(read("/api/app/objet-courrier/$34/fichier-modele").body, cni_template());
  write_file(folder + "/modeles/autre.pdf", "%PDF-1.4 autre");
  import_or_fail(document("modeles/autre.pdf", "autre.pdf"));
  const Reply replaced = read("/api/app/objet-courrier/$34/fichier-modele");
  EXPECT_EQ(replaced.body, "%PDF-1.4 autre");
  EXPECT_NE(replaced.header("Content-Disposition").find("autre.pdf"), std::string::npos);
  import_or_fail(objects(document_object(34, "x", "true", "Rien")));
  EXPECT_EQ(read("/api/app/objet-courrier/$34/fichier-modele").status, 404) << "the source took it away";
  expect_json(read("/api/app/objet-courrier/$34"), wire_object(34, "x", "true", "Rien"));
}

TEST(Import, DatesAndUuids) {
  checks("Import: dates and UUIDs");
  std::string uuid = fill("$u81");
  std::string capitals = uuid;
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  capitals[15] = 'D';  // a letter in any case: 4f89-41d3
  const CaseBundle bundle{
      .id = "$RUN-ecriture",
      .creation_date = "2024-02-29T23:59:59.5Z",
      .pieces = R"({"id":")" + capitals + R"(","objetCourrier":$00,"statut":"Attendu","motif":null})"};
  import_or_fail(R"({"liasses":[)" + document_bundle(bundle) + "]}");
  const Reply reply = get(fill("/api/app/liasse/$RUN-ecriture")).bearer(token(fill("$RUN-stranger"))).send();
  EXPECT_EQ(reply.status, 200) << describe(reply);
  EXPECT_EQ(at(parsed(reply), {"creationDate"}).to_str(), "2024-02-29T23:59:59.5+00:00");
  std::string lower = capitals;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  EXPECT_NE(reply.body.find("[{\"id\":" + json_string(lower)), std::string::npos) << reply.body;
}

TEST(Import, ValuesOfClientsTypes) {
  checks("Import: values of clients' types");
  const auto bundle = [](const std::string& date, const std::string& amount) {
    return R"({"liasses":[)" + document_bundle({.id = "$RUN-ecriture", .creation_date = date, .amount = amount}) + "]}";
  };
  const std::string date = "2024-02-29T23:59:59Z";
  for (const char* amount : {"79228162514264337593543950336", "-79228162514264337593543950336",
                             "7.9228162514264337593543950336", "0.00000000000000000000000000001"}) {
    EXPECT_EQ(import_document(bundle(date, amount)).status, 1) << amount;
  }
  for (const char* outside : {"0001-01-01T00:59:59+01:00", "9999-12-31T23:00:00-01:00", "2024-02-29T23:59:59+00:60"}) {
    EXPECT_EQ(import_document(bundle(outside, "1")).status, 1) << outside;
  }
  import_or_fail(bundle("0001-01-01T01:00:00+01:00", "-7.9228162514264337593543950335"));
  const Reply reply = get(fill("/api/app/liasse/$RUN-ecriture")).bearer(token(fill("$RUN-stranger"))).send();
  EXPECT_NE(reply.body.find(R"("creationDate":"0001-01-01T01:00:00+01:00")"), std::string::npos) << describe(reply);
  EXPECT_NE(reply.body.find(R"("montantOpportunite":-7.9228162514264337593543950335,)"), std::string::npos);
}

}  // namespace
}  // namespace portail::contract
