#include "tests/simulation/small_portal.hpp"

#include <cstdio>

#include <gtest/gtest.h>

#include "core/exchange/import.hpp"
#include "tests/support/sample_bundle.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {

void import_small_portal(KeyValueStore& store, int bundles) {
  std::string liasses;
  for (int i = 1; i <= bundles; ++i) {
    char piece[40];
    std::snprintf(piece, sizeof piece, "3f2504e0-4f89-41d3-9a0c-%012d", i);
    liasses += liasses.empty() ? "" : ",";
    liasses += sample_bundle(
        {.id = "L-" + std::to_string(i),
         .pieces = R"({"id":")" + std::string(piece) +
                   R"(","objetCourrier":1,"statut":"Attendu","motif":null,"dateDepot":"2024-02-01T09:00:00+01:00"})"});
  }
  const std::string document =
      R"({"objetsCourrier":[
        {"id":1,"typeObjet":"CNI","description":"une","utilisablePourLiasse":true,"typeAffectation":"Rien"},
        {"id":2,"typeObjet":"RIB","description":"deux","utilisablePourLiasse":true,"typeAffectation":"Rien",
         "fichierModele":{"nomFichier":"rib.pdf","chemin":"rib.pdf","type":"application/pdf"}}],
      "tiers":[{"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chlo)"
      "\u00e9"
      R"(","utilisateurs":["client"],"gestionnaires":["manager"]}],
      "liasses":[)" +
      liasses +
      R"(],"droits":[{"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"admin"},
                     {"permission":"PortailClients.Dashboard.Host","utilisateur":"manager"}]})";
  TestContext test;
  const auto report = import_text(test.context, store, document, {{"rib.pdf", "%PDF-1.4"}});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->fault_count, 0U) << report->faults.front();
}

Settings small_portal_settings() {
  Settings settings;
  settings.tokens = test_token_settings();
  return settings;
}

std::vector<RouteRequest> all_route_requests() {
  const std::string update = R"({"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"})";
  return {
      {"page", "GET", "/api/app/objet-courrier", "client"},
      {"list-all", "GET", "/api/app/objet-courrier/list-all", "client"},
      {"mail object", "GET", "/api/app/objet-courrier/1", "client"},
      {"unknown mail object", "GET", "/api/app/objet-courrier/99", "client"},
      {"template file", "GET", "/api/app/objet-courrier/2/fichier-modele", "client"},
      {"update", "PUT", "/api/app/objet-courrier/1", "admin", update},
      {"update without permission", "PUT", "/api/app/objet-courrier/1", "client", update},
      {"update under another tag", "PUT", "/api/app/objet-courrier/1", "admin", update, "If-Match", "\"other\""},
      {"creation", "POST", "/api/app/objet-courrier", "admin", update},
      {"deletion", "DELETE", "/api/app/objet-courrier/1", "admin"},
      {"own bundles", "GET", "/api/app/liasse", "client"},
      {"managed bundles", "GET", "/api/app/liasse/dashboard-list", "manager"},
      {"managed bundles without permission", "GET", "/api/app/liasse/dashboard-list", "client"},
      {"bundle", "GET", "/api/app/liasse/L-1", "client"},
      {"bundle of a manager", "GET", "/api/app/liasse/L-1", "manager"},
      {"bundle, head only", "HEAD", "/api/app/liasse/L-1", "client"},
      {"bundle of others", "GET", "/api/app/liasse/L-1", "admin"},
      {"unknown bundle", "GET", "/api/app/liasse/none", "client"},
      {"application configuration", "GET", "/api/abp/application-configuration", "client"},
      {"application configuration, anonymous", "GET", "/api/abp/application-configuration", ""},
      {"application localization", "GET", "/api/abp/application-localization", ""},
      {"api definition", "GET", "/api/abp/api-definition", ""},
      {"live", "GET", "/health/live", ""},
      {"ready", "GET", "/health/ready", ""},
      {"health status", "GET", "/health-status", ""},
      {"open api", "GET", "/swagger/v1/swagger.json", ""},
      {"swagger page", "GET", "/swagger/index.html", ""},
      {"no token", "GET", "/api/app/liasse", ""},
  };
}

std::string token_for(const std::string& subject) {
  return subject.empty() ? std::string() : make_quick_test_token({.subject = subject});
}

Answer send(const Service& service, const RouteRequest& route, bool* broke_off) {
  TestContext test;
  TestRequest request(route.method, route.target, token_for(route.subject));
  if (!route.body.empty()) request.json(route.body);
  if (!route.header_name.empty()) request.header(route.header_name, route.header_value);
  const Request view = request.view();
  auto answer = run_ready(serve(test.context, service, view));
  if (broke_off) {
    *broke_off = !answer;
  } else {
    EXPECT_TRUE(answer) << route.name << ": the stream broke off";
  }
  return answer ? std::move(*answer) : Answer{};
}

}  // namespace portail::simulation
