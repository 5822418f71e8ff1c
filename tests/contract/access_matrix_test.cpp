// docs/reference/contract.md, "Who sees what", as one table: every route and persona, own and foreign data, every form
// of request. A cell is the status; the lists below it are the visible identifiers. (OWASP API Security 2023: API1,
// API3, API5.)
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

// The columns of the table.
enum Persona : std::size_t {
  anonymous,       // no token
  expired,         // the client's token, of two hours ago
  foreign_tenant,  // the client's token of another tenant, where a tenant is set
  client,          // of the third party T1
  other_client,    // of T2
  newcomer,        // of no third party
  manager,         // of T1 and T2, with Dashboard.Host by a role
  bare_manager,    // the same person without that role
  third_manager,   // of T3, with Dashboard.Host granted to the person
  holder,          // the client of T1 with Dashboard.Host, who manages nothing
  admin_by_claim,  // ObjetsCourrier.Update in the token
  admin_by_role,   // … granted to a role
  admin_by_user,   // … granted to the person
  robot,           // a client's own token; … granted to that client
  user_of_robot,   // a user who signed in through that client
  personas
};

constexpr std::array<const char*, personas> persona_names{
    "anonymous",      "expired",       "foreign tenant", "client",        "other client",
    "newcomer",       "manager",       "bare manager",   "third manager", "holder",
    "admin by claim", "admin by role", "admin by user",  "robot",         "user of robot"};

struct Row {
  const char* method;
  const char* target;
  const char* condition;  // a header line, or empty
  std::array<int, personas> statuses;
};

// T1 has $RUN-complet, T2 $RUN-autre, T3 $RUN-hors; $39 and $RUN-absente exist nowhere.
// clang-format off
constexpr Row table[] = {
// method  target                                         condition              anon expi tena | clie othe newc | mana bare thir hold | clai role user | robo via
  {"GET",  "/api/app/objet-courrier",                     "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"HEAD", "/api/app/objet-courrier",                     "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/app/objet-courrier",                     "If-None-Match: *",   {401, 401, 401,  304, 304, 304,  304, 304, 304, 304,  304, 304, 304,  304, 304}},
  {"POST", "/api/app/objet-courrier",                     "",                   {401, 401, 401,  500, 500, 500,  500, 500, 500, 500,  500, 500, 500,  500, 500}},
  {"PUT",  "/api/app/objet-courrier",                     "",                   {401, 401, 401,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},

  {"GET",  "/api/app/objet-courrier/list-all",            "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"HEAD", "/api/app/objet-courrier/list-all",            "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/app/objet-courrier/list-all",            "If-None-Match: *",   {401, 401, 401,  304, 304, 304,  304, 304, 304, 304,  304, 304, 304,  304, 304}},

  {"GET",  "/api/app/objet-courrier/$00",                 "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"HEAD", "/api/app/objet-courrier/$00",                 "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/app/objet-courrier/$00",                 "If-None-Match: *",   {401, 401, 401,  304, 304, 304,  304, 304, 304, 304,  304, 304, 304,  304, 304}},
  {"GET",  "/api/app/objet-courrier/$39",                 "",                   {401, 401, 401,  404, 404, 404,  404, 404, 404, 404,  404, 404, 404,  404, 404}},
  {"GET",  "/api/app/objet-courrier/$39",                 "If-None-Match: *",   {401, 401, 401,  404, 404, 404,  404, 404, 404, 404,  404, 404, 404,  404, 404}},

  {"GET",  "/api/app/objet-courrier/$00/fichier-modele",  "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"HEAD", "/api/app/objet-courrier/$00/fichier-modele",  "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/app/objet-courrier/$00/fichier-modele",  "If-None-Match: *",   {401, 401, 401,  304, 304, 304,  304, 304, 304, 304,  304, 304, 304,  304, 304}},
  {"GET",  "/api/app/objet-courrier/$02/fichier-modele",  "",                   {401, 401, 401,  404, 404, 404,  404, 404, 404, 404,  404, 404, 404,  404, 404}},
  {"PUT",  "/api/app/objet-courrier/$00/fichier-modele",  "",                   {401, 401, 401,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},

  {"PUT",  "/api/app/objet-courrier/$27",                 "",                   {401, 401, 401,  403, 403, 403,  403, 403, 403, 403,  200, 200, 200,  200, 403}},
  {"PUT",  "/api/app/objet-courrier/$27",                 "If-Match: *",        {401, 401, 401,  403, 403, 403,  403, 403, 403, 403,  200, 200, 200,  200, 403}},
  {"PUT",  "/api/app/objet-courrier/$27",                 "If-Match: \"stale\"",{401, 401, 401,  403, 403, 403,  403, 403, 403, 403,  412, 412, 412,  412, 403}},
  {"PUT",  "/api/app/objet-courrier/$39",                 "",                   {401, 401, 401,  403, 403, 403,  403, 403, 403, 403,  404, 404, 404,  404, 403}},
  {"DELETE", "/api/app/objet-courrier/$27",               "",                   {401, 401, 401,  500, 500, 500,  500, 500, 500, 500,  500, 500, 500,  500, 500}},
  {"PATCH",  "/api/app/objet-courrier/$27",               "",                   {401, 401, 401,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},

  {"GET",  "/api/app/liasse",                             "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"HEAD", "/api/app/liasse",                             "",                   {401, 401, 401,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/app/liasse",                             "If-None-Match: *",   {401, 401, 401,  304, 304, 304,  304, 304, 304, 304,  304, 304, 304,  304, 304}},
  {"POST", "/api/app/liasse",                             "",                   {401, 401, 401,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},

  {"GET",  "/api/app/liasse/dashboard-list",              "",                   {401, 401, 401,  403, 403, 403,  200, 403, 200, 200,  403, 403, 403,  403, 403}},
  {"HEAD", "/api/app/liasse/dashboard-list",              "",                   {401, 401, 401,  403, 403, 403,  200, 403, 200, 200,  403, 403, 403,  403, 403}},
  {"GET",  "/api/app/liasse/dashboard-list",              "If-None-Match: *",   {401, 401, 401,  403, 403, 403,  304, 403, 304, 304,  403, 403, 403,  403, 403}},

  {"GET",  "/api/app/liasse/$RUN-complet",                "",                   {401, 401, 401,  200, 403, 403,  200, 403, 403, 200,  403, 403, 403,  403, 403}},
  {"HEAD", "/api/app/liasse/$RUN-complet",                "",                   {401, 401, 401,  200, 403, 403,  200, 403, 403, 200,  403, 403, 403,  403, 403}},
  {"GET",  "/api/app/liasse/$RUN-complet",                "If-None-Match: *",   {401, 401, 401,  304, 403, 403,  304, 403, 403, 304,  403, 403, 403,  403, 403}},
  {"PUT",  "/api/app/liasse/$RUN-complet",                "",                   {401, 401, 401,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},
  {"DELETE", "/api/app/liasse/$RUN-complet",              "",                   {401, 401, 401,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},

  {"GET",  "/api/app/liasse/$RUN-autre",                  "",                   {401, 401, 401,  403, 200, 403,  200, 403, 403, 403,  403, 403, 403,  403, 403}},
  {"HEAD", "/api/app/liasse/$RUN-autre",                  "",                   {401, 401, 401,  403, 200, 403,  200, 403, 403, 403,  403, 403, 403,  403, 403}},
  {"GET",  "/api/app/liasse/$RUN-autre",                  "If-None-Match: *",   {401, 401, 401,  403, 304, 403,  304, 403, 403, 403,  403, 403, 403,  403, 403}},

  {"GET",  "/api/app/liasse/$RUN-hors",                   "",                   {401, 401, 401,  403, 403, 403,  403, 403, 200, 403,  403, 403, 403,  403, 403}},
  {"HEAD", "/api/app/liasse/$RUN-hors",                   "",                   {401, 401, 401,  403, 403, 403,  403, 403, 200, 403,  403, 403, 403,  403, 403}},
  {"GET",  "/api/app/liasse/$RUN-hors",                   "If-None-Match: *",   {401, 401, 401,  403, 403, 403,  403, 403, 304, 403,  403, 403, 403,  403, 403}},

  {"GET",  "/api/app/liasse/$RUN-absente",                "",                   {401, 401, 401,  404, 404, 404,  404, 404, 404, 404,  404, 404, 404,  404, 404}},
  {"GET",  "/api/app/liasse/$RUN-absente",                "If-None-Match: *",   {401, 401, 401,  404, 404, 404,  404, 404, 404, 404,  404, 404, 404,  404, 404}},
  {"GET",  "/api/app/inconnu",                            "",                   {401, 401, 401,  404, 404, 404,  404, 404, 404, 404,  404, 404, 404,  404, 404}},

  {"GET",  "/api/abp/application-configuration",          "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"HEAD", "/api/abp/application-configuration",          "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/abp/application-configuration",          "If-None-Match: *",   {304, 304, 304,  304, 304, 304,  304, 304, 304, 304,  304, 304, 304,  304, 304}},
  {"PUT",  "/api/abp/application-configuration",          "",                   {405, 405, 405,  405, 405, 405,  405, 405, 405, 405,  405, 405, 405,  405, 405}},
  {"GET",  "/api/abp/application-localization",           "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/api/abp/api-definition",                     "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/swagger/v1/swagger.json",                    "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/swagger/index.html",                         "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/health/live",                                "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/health/ready",                               "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
  {"GET",  "/health-status",                              "",                   {200, 200, 200,  200, 200, 200,  200, 200, 200, 200,  200, 200, 200,  200, 200}},
};

// The contents of the lists and the granted policies; "-" if the answer is not a 200.
struct Visible {
  const char* own;        // of GET /liasse, in its order
  const char* dashboard;  // of GET /liasse/dashboard-list
  const char* policies;   // grantedPolicies
};
constexpr const char* all_of_t1 =
    "$RUN-complet $RUN-en-cours $RUN-rejets $RUN-vide $RUN-egal-B $RUN-egal-a $RUN-deroge $RUN-deroge-seul";
constexpr const char* t1_and_t2 =
    "$RUN-autre $RUN-complet $RUN-en-cours $RUN-rejets $RUN-vide $RUN-egal-B $RUN-egal-a $RUN-deroge $RUN-deroge-seul";
constexpr const char* may_update = R"({"PortailClients.ObjetsCourrier.Update":true})";
constexpr const char* has_dashboard = R"({"PortailClients.Dashboard.Host":true})";

constexpr std::array<Visible, personas> visible{{
  /* anonymous      */ {"-",          "-",         "{}"},
  /* expired        */ {"-",          "-",         "{}"},
  /* foreign tenant */ {"-",          "-",         "{}"},
  /* client         */ {all_of_t1,    "-",         "{}"},
  /* other client   */ {"$RUN-autre", "-",         "{}"},
  /* newcomer       */ {"",           "-",         "{}"},
  /* manager        */ {"",           t1_and_t2,   has_dashboard},
  /* bare manager   */ {"",           "-",         "{}"},
  /* third manager  */ {"",           "$RUN-hors", has_dashboard},
  /* holder         */ {all_of_t1,    "",          has_dashboard},
  /* admin by claim */ {"",           "-",         may_update},
  /* admin by role  */ {"",           "-",         may_update},
  /* admin by user  */ {"",           "-",         may_update},
  /* robot          */ {"",           "-",         may_update},
  /* user of robot  */ {"",           "-",         "{}"},
}};
// clang-format on

std::string token_of(Persona persona) {
  const std::string gestionnaire = json_string(fill("$RUN-gestionnaire"));
  const std::string robot_name = json_string(fill("$RUN-robot"));
  switch (persona) {
    case expired:
      return token(claims_of(fill("$RUN-client")).set("exp", std::to_string(now() - 7200)));
    case foreign_tenant:
      return token(fill("$RUN-client"), {{"tenantid", "\"autre-tenant\""}});
    case client:
      return token(fill("$RUN-client"));
    case other_client:
      return token(fill("$RUN-other"));
    case newcomer:
      return token(fill("$RUN-newcomer"));
    case manager:
      return token(fill("$RUN-manager"), {{"roles", "[" + gestionnaire + "]"}});
    case bare_manager:
      return token(fill("$RUN-manager"));
    case third_manager:
      return token(fill("$RUN-stranger-manager"));
    case holder:
      return token(fill("$RUN-client"), {{"roles", gestionnaire}});
    case admin_by_claim:
      return token(fill("$RUN-chief"), {{"permissions", R"(["PortailClients.ObjetsCourrier.Update"])"}});
    case admin_by_role:
      return token(fill("$RUN-deputy"), {{"role", json_string(fill("$RUN-configurateur"))}});
    case admin_by_user:
      return token(fill("$RUN-admin"));
    case robot:
      return token("", {{"client_id", robot_name}});
    case user_of_robot:
      return token(fill("$RUN-newcomer"), {{"client_id", robot_name}});
    default:
      return {};
  }
}

class AccessMatrix : public testing::Test {
 protected:
  // Imports the data set's grants, and one to a role.
  static void SetUpTestSuite() {
    import_or_fail(R"({"droits":[)" + data_set_grants() +
                   R"(,{"permission":"PortailClients.ObjetsCourrier.Update","role":"$RUN-configurateur"}]})");
  }
  static void TearDownTestSuite() { import_or_fail(R"({"droits":[)" + data_set_grants() + "]}"); }

  // A persona of another tenant needs the host with a tenant.
  static bool can_ask(Persona persona) { return persona != foreign_tenant || environment().tenant.has_value(); }

  static Reply ask(Persona persona, std::string_view method, std::string_view target, std::string_view condition = {}) {
    Request request(method, fill(target));
    if (const std::string bearer = token_of(persona); !bearer.empty()) request.bearer(bearer);
    if (const std::size_t colon = condition.find(": "); colon != std::string_view::npos) {
      request.header(condition.substr(0, colon), condition.substr(colon + 2));
    }
    if (method == "PUT" || method == "POST" || method == "PATCH") {
      request.body(R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})");
    }
    return request.send(persona == foreign_tenant ? *environment().tenant : environment().base);
  }

  // Returns the identifiers of a list, in its order, separated by spaces; "-" if it was refused.
  static std::string identifiers(const Reply& reply) {
    if (reply.status != 200) return "-";
    const picojson::value list = parsed(reply);
    if (!list.is<picojson::array>()) return "not a list";
    std::string all;
    for (const picojson::value& each : list.get<picojson::array>()) {
      all += (all.empty() ? "" : " ") + at(each, {"id"}).to_str();
    }
    return all;
  }
};

TEST_F(AccessMatrix, EveryRouteForEveryPersona) {
  checks("Who sees what: GET /liasse/{id}");
  checks("Who sees what: mail objects need no permission");
  for (const Row& row : table) {
    for (std::size_t persona = 0; persona < personas; ++persona) {
      if (!can_ask(Persona{persona})) continue;
      const Reply reply = ask(Persona{persona}, row.method, row.target, row.condition);
      EXPECT_EQ(reply.status, row.statuses.at(persona))
          << persona_names.at(persona) << ": " << row.method << ' ' << row.target << ' ' << row.condition;
      // A refusal must not contain protected data.
      if (reply.status == 401 || reply.status == 403) {
        EXPECT_FALSE(reply.has("ETag")) << row.target;
        EXPECT_EQ(reply.header("Cache-Control"), "no-store") << row.target;
      }
    }
  }
}

TEST_F(AccessMatrix, TheListsOfEveryPersona) {
  checks("Who sees what: GET /liasse");
  checks("Who sees what: dashboard-list");
  for (std::size_t persona = 0; persona < personas; ++persona) {
    if (!can_ask(Persona{persona})) continue;
    SCOPED_TRACE(persona_names.at(persona));
    EXPECT_EQ(identifiers(ask(Persona{persona}, "GET", "/api/app/liasse")), fill(visible.at(persona).own));
    EXPECT_EQ(identifiers(ask(Persona{persona}, "GET", "/api/app/liasse/dashboard-list")),
              fill(visible.at(persona).dashboard));
    const Reply configuration = ask(Persona{persona}, "GET", "/api/abp/application-configuration");
    EXPECT_EQ(at(parsed(configuration), {"auth", "grantedPolicies"}).serialize(), visible.at(persona).policies);
  }
}

// A tag of one persona does not match for any other: validators are not a side channel.
TEST_F(AccessMatrix, ATagOpensNothing) {
  checks("Answers: validators, 304 after 401, 403, 404");
  const std::string tag = ask(client, "GET", "/api/app/liasse/$RUN-complet").header("ETag");
  ASSERT_FALSE(tag.empty());
  EXPECT_EQ(ask(client, "GET", "/api/app/liasse/$RUN-complet", "If-None-Match: " + tag).status, 304);
  for (const Persona persona : {anonymous, expired}) {
    EXPECT_EQ(ask(persona, "GET", "/api/app/liasse/$RUN-complet", "If-None-Match: " + tag).status, 401);
  }
  for (const Persona persona : {other_client, newcomer, bare_manager, third_manager, admin_by_claim, robot}) {
    EXPECT_EQ(ask(persona, "GET", "/api/app/liasse/$RUN-complet", "If-None-Match: " + tag).status, 403)
        << persona_names.at(persona);
  }
}

// The next request sees added and removed grants, without a restart.
TEST_F(AccessMatrix, GrantsChangeWithoutARestart) {
  checks("Import: droits is replaced whole");
  const auto update = [](Persona persona) { return ask(persona, "PUT", "/api/app/objet-courrier/$27").status; };
  const auto dashboard = [](Persona persona) { return ask(persona, "GET", "/api/app/liasse/dashboard-list").status; };
  const auto bundle = [](Persona persona) { return ask(persona, "GET", "/api/app/liasse/$RUN-complet").status; };
  EXPECT_EQ(dashboard(bare_manager), 403);
  EXPECT_EQ(bundle(bare_manager), 403);

  import_or_fail(R"({"droits":[{"permission":"PortailClients.Dashboard.Host","utilisateur":"$RUN-manager"}]})");
  EXPECT_EQ(dashboard(bare_manager), 200);
  EXPECT_EQ(bundle(bare_manager), 200);
  EXPECT_EQ(dashboard(third_manager), 403) << "was granted to the person";
  EXPECT_EQ(dashboard(holder), 403) << "was granted to the role";
  EXPECT_EQ(bundle(holder), 200) << "their own, still";
  EXPECT_EQ(update(admin_by_role), 403);
  EXPECT_EQ(update(admin_by_user), 403);
  EXPECT_EQ(update(robot), 403);
  EXPECT_EQ(update(admin_by_claim), 200) << "a permission in the token needs no grant";
  import_or_fail(R"({"objetsCourrier":[]})");
  EXPECT_EQ(dashboard(bare_manager), 200) << "a document without droits leaves them";

  EXPECT_NE(import_document(R"({"droits":[]})").status, 0) << "an empty section that removes all grants";
  EXPECT_EQ(dashboard(bare_manager), 200);
  import_or_fail(R"({"droits":[]})", "--yes");
  EXPECT_EQ(dashboard(bare_manager), 403);
  EXPECT_EQ(bundle(bare_manager), 403);
  EXPECT_EQ(dashboard(manager), 403) << "the role has nothing any more";
  EXPECT_EQ(
      at(parsed(ask(robot, "GET", "/api/abp/application-configuration")), {"auth", "grantedPolicies"}).serialize(),
      "{}");

  SetUpTestSuite();
  EXPECT_EQ(dashboard(manager), 200);
  EXPECT_EQ(dashboard(third_manager), 200);
  EXPECT_EQ(update(robot), 200);
  EXPECT_EQ(update(user_of_robot), 403);
  EXPECT_EQ(dashboard(bare_manager), 403);
}

}  // namespace
}  // namespace portail::contract
