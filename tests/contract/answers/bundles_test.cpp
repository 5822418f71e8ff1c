// docs/reference/contract.md, "Answers": bundles and their pieces.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/portal_document.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

// Two callers whose consultations no other case changes: neither reads `en-cours` by id.
std::string client() { return token(fill("$RUN-client")); }
std::string privileged_client() {
  return token(fill("$RUN-client"), {{"permissions", R"(["PortailClients.Liasses.VoirPieceDerogee"])"}});
}
std::string manager() { return token(fill("$RUN-manager"), {{"role", json_string(fill("$RUN-gestionnaire"))}}); }

Reply read_bundle(std::string_view name, const std::string& caller = client()) {
  return get("/api/app/liasse/" + fill(name)).bearer(caller).send();
}

TEST(Bundles, ListIsNewestFirst) {
  checks("Answers: bundle lists");
  // rejets is older than en-cours although its text is greater; egal-B and egal-a have the same instant.
  expect_json(get("/api/app/liasse").bearer(client()).send(), "[" + client_bundles() + "]");
  expect_json(get("/api/app/liasse/dashboard-list").bearer(manager()).send(),
              "[" + other_bundle() + "," + client_bundles() + "]");
}

TEST(Bundles, ById) {
  checks("Answers: mail object inside a piece");
  expect_json(
      read_bundle("$RUN-complet"),
      fill(R"({"id":"$RUN-complet","nomDossier":"Prêt immobilier","creationDate":"2024-03-01T00:00:00+01:00",)"
           R"("statut":"Complet","completion":100,"deposeeDepuisDerniereConsultation":false,"erreur":null,)"
           R"("piecesAttendues":[{"id":"$u01","objetCourrier":{"id":$00,"typeObjet":"$RUN-CNI",)"
           R"("description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire",)"
           R"("lienFichier":"/api/app/objet-courrier/$00/fichier-modele","nomFichier":"modèle cni.pdf"},)"
           R"("statut":"Validé","motif":null},{"id":"$u02","objetCourrier":{"id":$02,"typeObjet":"$RUN-b",)"
           R"("description":"Minuscule après majuscule","utilisablePourLiasse":true,"typeAffectation":"Optionnel",)"
           R"("lienFichier":null,"nomFichier":null},"statut":"VALIDÉ","motif":null},{"id":"$u03",)"
           R"("objetCourrier":{"id":$03,"typeObjet":"$RUN-É","description":"Deux octets","utilisablePourLiasse":true,)"
           R"("typeAffectation":"Optionnel","lienFichier":null,"nomFichier":null},"statut":"Valide)"
           "\u0301"
           R"(","motif":null})" +
           answer_tail({.third_party = "$RUN-T1", .loan = "P-778", .amount = "150000.00"}, "Durand", "Chloé")));
}

TEST(Bundles, PieceShowsTheConfigurationOfItsMailObject) {
  checks("Answers: mail object inside a piece");
  EXPECT_NE(read_bundle("$RUN-rejets").body.find(fill(R"("objetCourrier":$E09,"statut":"Attendu")")),
            std::string::npos);
}

TEST(Bundles, CreationDateAsStored) {
  checks("Answers: creationDate");
  const auto date_of = [](std::string_view name) { return at(parsed(read_bundle(name)), {"creationDate"}).to_str(); };
  EXPECT_EQ(date_of("$RUN-complet"), "2024-03-01T00:00:00+01:00");
  EXPECT_EQ(date_of("$RUN-vide"), "2023-12-31T23:59:59.1234567-05:30");
  EXPECT_EQ(date_of("$RUN-egal-a"), "2023-05-01T12:00:00.000+02:00");
  EXPECT_EQ(date_of("$RUN-egal-B"), "2023-05-01T10:00:00+00:00") << "imported with Z";
}

TEST(Bundles, AmountAsStored) {
  checks("Answers: montantOpportunite");
  const auto has_amount = [](std::string_view name, const std::string& amount) {
    const std::string body = read_bundle(name).body;
    EXPECT_NE(body.find(R"("montantOpportunite":)" + amount + ","), std::string::npos) << body;
  };
  has_amount("$RUN-complet", "150000.00");
  has_amount("$RUN-rejets", "1000");
  has_amount("$RUN-vide", "79228162514264337593543950335");
  has_amount("$RUN-egal-B", "1234567890123456789012345.6789");
  has_amount("$RUN-egal-a", "0.00");
  has_amount("$RUN-deroge-seul", "7.10");
}

TEST(Bundles, Status) {
  checks("Answers: statut of a bundle");
  const auto status_of = [](std::string_view name) { return at(parsed(read_bundle(name)), {"statut"}).to_str(); };
  EXPECT_EQ(status_of("$RUN-complet"), "Complet");
  EXPECT_EQ(status_of("$RUN-rejets"), "En cours");
  EXPECT_EQ(status_of("$RUN-vide"), "Complet");
  EXPECT_EQ(status_of("$RUN-deroge-seul"), "En cours") << "a derogated piece is not a validated one";
  expect_json(read_bundle("$RUN-vide"), bundle("vide"));
}

TEST(Bundles, Completion) {
  checks("Answers: completion");
  const std::string list = get("/api/app/liasse").bearer(client()).send().body;
  const auto completion_of = [&list](std::string_view name) {
    const std::size_t begin = list.find("\"completion\":", list.find("{\"id\":\"" + fill(name) + "\"")) + 13;
    return list.substr(begin, list.find(',', begin) - begin);
  };
  EXPECT_EQ(completion_of("$RUN-complet"), "100");
  EXPECT_EQ(completion_of("$RUN-en-cours"), "66.66666666666667");
  EXPECT_EQ(completion_of("$RUN-rejets"), "20");
  EXPECT_EQ(completion_of("$RUN-vide"), "100");
  EXPECT_EQ(completion_of("$RUN-deroge"), "25");
  EXPECT_EQ(completion_of("$RUN-deroge-seul"), "50");
  EXPECT_EQ(at(parsed(read_bundle("$RUN-hors", token(fill("$RUN-stranger")))), {"completion"}).to_str(), "0");
}

TEST(Bundles, AllPiecesCount) {
  checks("Answers: which pieces count");
  const picojson::value shown = parsed(read_bundle("$RUN-deroge-seul"));
  EXPECT_EQ(at(shown, {"piecesAttendues"}).get<picojson::array>().size(), 1U);
  EXPECT_EQ(at(shown, {"completion"}).to_str(), "50");
  EXPECT_EQ(at(shown, {"statut"}).to_str(), "En cours");
}

TEST(Bundles, DerogatedPiecesAreLeftOutById) {
  checks("Answers: derogated pieces, by id");
  checks("Answers: piece statut");
  expect_json(read_bundle("$RUN-deroge"),
              fill(R"({"id":"$RUN-deroge","nomDossier":"Dérogations","creationDate":"2023-04-01T08:00:00+02:00",)"
                   R"("statut":"En cours","completion":25,"deposeeDepuisDerniereConsultation":false,)"
                   R"("erreur":"$RUN-😀 : Le siège a dit non","piecesAttendues":[)"
                   R"({"id":"$u16","objetCourrier":$E05,"statut":"Dérogation refusée","motif":"Le siège a dit non"},)"
                   R"({"id":"$u17","objetCourrier":$E06,"statut":"Validé","motif":null},)"
                   R"({"id":"$u18","objetCourrier":$E07,"statut":"Validé","motif":null},)"
                   R"({"id":"$u19","objetCourrier":$E09,"statut":"Inconnu","motif":null})" +
                   answer_tail({.third_party = "$RUN-T1", .loan = "P-784", .amount = "12.5"}, "Durand", "Chloé")));
  expect_json(read_bundle("$RUN-deroge", privileged_client()), bundle("deroge"));
}

TEST(Bundles, ListsAreNotFiltered) {
  checks("Answers: derogated pieces, lists");
  EXPECT_NE(get("/api/app/liasse").bearer(client()).send().body.find(bundle("deroge")), std::string::npos);
  EXPECT_NE(get("/api/app/liasse/dashboard-list").bearer(manager()).send().body.find(bundle("deroge")),
            std::string::npos);
}

TEST(Bundles, ListsAreFilteredWhereTheOperatorWants) {
  checks("Answers: derogated pieces, PORTAIL_FILTER_LISTS");
  PORTAIL_REQUIRE(environment().filtered, "PORTAIL_CONTRACT_FILTERED_URL");
  const std::string by_id = read_bundle("$RUN-deroge").body;
  for (const auto& [target, caller] : {std::pair<std::string, std::string>{"/api/app/liasse", client()},
                                       {"/api/app/liasse/dashboard-list", manager()}}) {
    const std::string list = get(target).bearer(caller).send(*environment().filtered).body;
    EXPECT_NE(list.find(by_id), std::string::npos) << list;
    EXPECT_EQ(list.find(R"("statut":"Dérogé")"), std::string::npos);
  }
  EXPECT_EQ(get("/api/app/liasse").bearer(privileged_client()).send(*environment().filtered).body,
            "[" + client_bundles() + "]");
}

TEST(Bundles, Error) {
  checks("Answers: erreur");
  // Déposé and an unknown status count; validated and derogated pieces do not.
  const picojson::value body = parsed(read_bundle("$RUN-rejets", privileged_client()));
  EXPECT_EQ(at(body, {"erreur"}).to_str(), fill("$RUN-CNI : illisible ; $RUN-b : périmé ; voir \"agence\""));
  expect_json(read_bundle("$RUN-rejets", privileged_client()), bundle("rejets"));
  EXPECT_TRUE(at(parsed(read_bundle("$RUN-complet")), {"erreur"}).is<picojson::null>());
  const Reply empty = read_bundle("$RUN-sans-motif", token(fill("$RUN-reader")));
  EXPECT_NE(empty.body.find(R"("erreur":null)"), std::string::npos) << "an empty motif is none: " << empty.body;
}

}  // namespace
}  // namespace portail::contract
