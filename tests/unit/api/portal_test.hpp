// A small portal, imported into memory, and a service over it. Shared by the tests of core/api.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/api/service.hpp"
#include "core/exchange/import.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/counting_store.hpp"
#include "tests/support/sample_bundle.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail {

// T1: user sub-client, manager sub-manager. T2: user sub-other, manager sub-manager. Two mail objects, three bundles.
inline const std::string small_portal =
    R"({
"objetsCourrier":[
 {"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire",
  "fichierModele":{"nomFichier":"modèle cni.pdf","chemin":"cni.pdf","type":"application/pdf"}},
 {"id":12,"typeObjet":"AVIS","description":"Avis d'imposition","utilisablePourLiasse":false,"typeAffectation":"Rien"}],
"tiers":[
 {"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["sub-client"],"gestionnaires":["sub-manager"]},
 {"numeroTiers":"T2","nomTiers":"Martin","prenomTiers":"Luc","utilisateurs":["sub-other"],"gestionnaires":["sub-manager"]}],
"liasses":[
)" + sample_bundle({.name = "Prêt immobilier", .pieces = R"(
   {"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","objetCourrier":1,"statut":"Validé","motif":null,"dateDepot":"2024-02-01T09:00:00+01:00"},
   {"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","objetCourrier":12,"statut":"Attendu","motif":"Illisible \"page 2\""},
   {"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3303","objetCourrier":12,"statut":"Dérogée","motif":"Accord du siège"})"}) +
    "," +
    sample_bundle({.id = "L-2",
                   .name = "Sans pièce",
                   .creation_date = "2024-01-15T09:30:00.5Z",
                   .loan = "P-2",
                   .amount = "0.10",
                   .put_in_place = "true"}) +
    "," +
    sample_bundle({.id = "L-3",
                   .name = "D'un autre",
                   .creation_date = "2024-03-01T00:00:00+01:00",
                   .third_party = "T2",
                   .loan = "P-3",
                   .amount = "1"}) +
    R"(],
"droits":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"},
 {"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"sub-admin"}]})";

class PortalTest : public testing::Test {
 protected:
  PortalTest() { load(small_portal); }

  void load(std::string_view document) {
    const auto report = import_text(test.context, memory, document, {{"cni.pdf", "%PDF-1.4 modele"}});
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(report->faults, std::vector<std::string>{});
  }
  Answer ask(Request request) {
    const auto answer = run_ready(portail::serve(test.context, service, request));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(Answer{});
  }
  Answer get(std::string_view target, std::string_view token) { return ask(TestRequest("GET", target, token).view()); }

  static Settings settings() {
    Settings settings;
    settings.tokens = test_token_settings();
    settings.allowed_origins = {"https://portail.test"};
    return settings;
  }

  TestContext test;
  MemoryStore memory;
  CountingStore store{memory};
  Service service{settings(), test_key_set(), store};
  const std::string client = make_test_token({.subject = "sub-client"});
  const std::string manager = make_test_token({.subject = "sub-manager", .roles = {"gestionnaire"}});
  const std::string administrator = make_test_token({.subject = "sub-admin"});
};

}  // namespace portail
