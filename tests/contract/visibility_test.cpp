// docs/reference/contract.md, "Who sees what".
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/portal_document.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

using Claims = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view dashboard = "/api/app/liasse/dashboard-list";
constexpr std::string_view own_list = "/api/app/liasse";

std::string role() { return json_string(fill("$RUN-gestionnaire")); }

int status_of(std::string_view target, const std::string& caller) {
  return get(fill(target)).bearer(caller).send().status;
}
// The status of a PUT that changes nothing: whether the caller holds ObjetsCourrier.Update.
int update_status(const std::string& caller) {
  return put(fill("/api/app/objet-courrier/$27"), R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})")
      .bearer(caller)
      .send()
      .status;
}

TEST(Visibility, UsersAndManagersOfAThirdParty) {
  checks("Who sees what: utilisateurs and gestionnaires");
  expect_json(get(own_list).bearer(token(fill("$RUN-other"))).send(), "[" + other_bundle() + "]");
  expect_json(get(own_list).bearer(token(fill("$RUN-outsider"))).send(), "[]");
  expect_json(get(dashboard).bearer(token(fill("$RUN-outsider"), {{"roles", role()}})).send(), "[]");
  // Compared exactly: another case is another subject.
  expect_json(get(own_list).bearer(token(fill("$RUN-Other"))).send(), "[]");
}

TEST(Permissions, InTheToken) {
  checks("Who sees what: permissions, claim");
  const auto with = [](const std::string& claim) { return token(fill("$RUN-outsider"), {{"permissions", claim}}); };
  EXPECT_EQ(status_of(dashboard, with(R"(["PortailClients.Dashboard.Host"])")), 200);
  EXPECT_EQ(status_of(dashboard, with(R"(["x","PortailClients.Dashboard.Host","y"])")), 200);
  EXPECT_EQ(status_of(dashboard, with(R"("PortailClients.Dashboard.Host")")), 200);
  EXPECT_EQ(status_of(dashboard, with(R"("openid PortailClients.Dashboard.Host profile")")), 200);
  EXPECT_EQ(update_status(with(R"(["PortailClients.ObjetsCourrier.Update"])")), 200);
  for (const char* claim : {R"(["PortailClients.Dashboard"])", R"("PortailClients.Dashboard.Hosts")",
                            R"(["portailclients.dashboard.host"])", R"(["x PortailClients.Dashboard.Host"])",
                            R"("x,PortailClients.Dashboard.Host")", R"({"PortailClients.Dashboard.Host":true})", "null",
                            "[]", R"(["PortailClients.ObjetsCourrier.Update"])"})
    EXPECT_EQ(status_of(dashboard, with(claim)), 403) << claim;
  EXPECT_EQ(status_of(dashboard, token(fill("$RUN-outsider"), {{"scope", R"("PortailClients.Dashboard.Host")"}})), 403);
}

TEST(Permissions, GrantedToAUser) {
  checks("Who sees what: permissions, granted to a user");
  EXPECT_EQ(update_status(token(fill("$RUN-admin"))), 200);
  EXPECT_EQ(status_of(dashboard, token(fill("$RUN-admin"))), 403) << "that permission only";
  EXPECT_EQ(status_of(dashboard, token(fill("$RUN-stranger-manager"))), 200);
  EXPECT_EQ(update_status(token(fill("$RUN-ADMIN"))), 403);
  // A role or a client of that name is not the user.
  EXPECT_EQ(update_status(token(fill("$RUN-outsider"), {{"roles", json_string(fill("$RUN-admin"))}})), 403);
  EXPECT_EQ(update_status(token("", {{"client_id", json_string(fill("$RUN-admin"))}})), 403);
}

TEST(Permissions, GrantedToARole) {
  checks("Who sees what: permissions, granted to a role");
  const std::string array = "[\"autre\"," + role() + "]";
  const std::string audience = json_string(environment().audience);
  const std::vector<Claims> granted = {
      {{"role", role()}},
      {{"role", array}},
      {{"roles", role()}},
      {{"roles", array}},
      {{"http://schemas.microsoft.com/ws/2008/06/identity/claims/role", role()}},
      {{"http://schemas.microsoft.com/ws/2008/06/identity/claims/role", array}},
      {{"realm_access", R"({"roles":)" + array + "}"}},
      {{"realm_access", R"({"roles":)" + role() + "}"}},
      {{"resource_access", "{" + audience + R"(:{"roles":)" + array + "}}"}},
      {{"resource_access", R"({"account":{"roles":["x"]},)" + audience + R"(:{"roles":)" + role() + "}}"}},
      {{"role", "\"autre\""}, {"roles", array}},
  };
  for (const Claims& claims : granted) {
    SCOPED_TRACE(claims.back().first + " " + claims.back().second);
    EXPECT_EQ(status_of(dashboard, token(fill("$RUN-manager"), claims)), 200);
  }
  const std::vector<Claims> not_granted = {
      {{"roles", json_string(fill("$RUN-Gestionnaire"))}},
      {{"groups", array}},
      {{"roles", json_string(fill("autre $RUN-gestionnaire"))}},
      {{"roles", "{" + role() + ":true}"}},
      {{"resource_access", R"({"other-audience":{"roles":)" + array + "}}"}},
      {{"realm_access", array}},
  };
  for (const Claims& claims : not_granted) {
    SCOPED_TRACE(claims.back().first + " " + claims.back().second);
    EXPECT_EQ(status_of(dashboard, token(fill("$RUN-manager"), claims)), 403);
  }
  EXPECT_EQ(status_of(dashboard, token(fill("$RUN-gestionnaire"))), 403) << "a user of that name is not the role";
}

TEST(Permissions, GrantedToAClient) {
  checks("Who sees what: permissions, granted to a client");
  const std::string robot = json_string(fill("$RUN-robot"));
  EXPECT_EQ(update_status(token("", {{"client_id", robot}})), 200) << "no sub";
  EXPECT_EQ(update_status(token("", {{"azp", robot}})), 200);
  EXPECT_EQ(update_status(token(fill("$RUN-robot"), {{"client_id", robot}})), 200) << "sub equal to client_id";
  EXPECT_EQ(update_status(token(fill("$RUN-robot"), {{"azp", robot}})), 200);
  EXPECT_EQ(update_status(token("service-principal", {{"azp", robot}, {"idtyp", "\"app\""}})), 200);
  EXPECT_EQ(update_status(token("service-principal", {{"client_id", robot}, {"idtyp", "\"app\""}})), 200);
  // A user who signed in through that client.
  EXPECT_EQ(update_status(token(fill("$RUN-outsider"), {{"client_id", robot}})), 403);
  EXPECT_EQ(update_status(token(fill("$RUN-outsider"), {{"azp", robot}, {"idtyp", "\"user\""}})), 403);
  EXPECT_EQ(update_status(token(fill("$RUN-robot"))), 403) << "a user of that name";
  EXPECT_EQ(update_status(token("", {{"client_id", json_string(fill("$RUN-other-robot"))}})), 403);
}

TEST(Visibility, CheckedOnEveryRead) {
  checks("Who sees what: checked again on every read");
  const std::string leaver = token(fill("$RUN-leaver"));
  const std::string stayer = token(fill("$RUN-stayer"));
  const std::string leaving_manager = token(fill("$RUN-leaving-manager"), {{"roles", role()}});
  const auto third_party = [](const std::string& number, const std::string& people) {
    return R"({"numeroTiers":")" + number + R"(","nomTiers":"Simon","prenomTiers":"Ana",)" + people + "}";
  };
  const auto moved_to = [](const std::string& number) {
    return document_bundle({.id = "$RUN-partie",
                            .third_party = number,
                            .pieces = R"({"id":"$u70","objetCourrier":$00,"statut":"Attendu","motif":null})"});
  };
  EXPECT_EQ(status_of("/api/app/liasse/$RUN-partie", leaver), 200);
  EXPECT_EQ(status_of("/api/app/liasse/$RUN-partie", leaving_manager), 200);

  import_or_fail(R"({"tiers":[)" + third_party("$RUN-T5", R"("utilisateurs":["$RUN-stayer"],"gestionnaires":[])") +
                 "]}");
  EXPECT_EQ(status_of("/api/app/liasse/$RUN-partie", leaver), 403);
  EXPECT_EQ(status_of("/api/app/liasse/$RUN-partie", leaving_manager), 403);
  expect_json(get(own_list).bearer(leaver).send(), "[]");
  expect_json(get(dashboard).bearer(leaving_manager).send(), "[]");
  EXPECT_NE(get(own_list).bearer(stayer).send().body.find(fill("$RUN-partie")), std::string::npos);

  // The bundle moves to another third party.
  import_or_fail(R"({"tiers":[)" +
                 third_party("$RUN-T6", R"("utilisateurs":["$RUN-leaver"],"gestionnaires":["$RUN-leaving-manager"])") +
                 R"(],"liasses":[)" + moved_to("$RUN-T6") + "]}");
  EXPECT_EQ(status_of("/api/app/liasse/$RUN-partie", stayer), 403);
  expect_json(get(own_list).bearer(stayer).send(), "[]");
  EXPECT_EQ(status_of("/api/app/liasse/$RUN-partie", leaver), 200);
  EXPECT_NE(get(dashboard).bearer(leaving_manager).send().body.find(fill("$RUN-partie")), std::string::npos);
}

TEST(Visibility, Tenant) {
  checks("Who sees what: tenant");
  PORTAIL_REQUIRE(environment().tenant, "PORTAIL_CONTRACT_TENANT_URL");
  const auto ask = [](const Claims& claims, std::string_view tenant_header) {
    Request request = get(own_list);
    request.bearer(token(fill("$RUN-client"), claims));
    if (!tenant_header.empty()) request.header("__tenant", tenant_header);
    return request.send(*environment().tenant);
  };
  const Claims same = {{"tenantid", json_string(contract_tenant)}};
  const Claims other = {{"tenantid", "\"other\""}};
  expect_json(ask(same, ""), "[" + client_bundles() + "]");
  expect_json(ask(same, "other"), "[" + client_bundles() + "]");
  expect_token_refused(ask(other, ""));
  expect_token_refused(ask(other, contract_tenant));
  expect_token_refused(ask({}, ""));
  expect_token_refused(ask({}, contract_tenant));
  EXPECT_EQ(get(own_list).bearer(token(fill("$RUN-client"), other)).send().status, 200) << "where no tenant is set";
}

}  // namespace
}  // namespace portail::contract
