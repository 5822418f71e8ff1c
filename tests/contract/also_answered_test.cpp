// docs/reference/contract.md, "Also answered": endpoints for ABP front ends, generators, probes and readers of the
// API's description.
#include <set>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

constexpr std::string_view configuration_path = "/api/abp/application-configuration";

picojson::value configuration(const std::string& bearer_token = {}, std::string_view language = {}) {
  Request request = get(configuration_path);
  if (!bearer_token.empty()) request.bearer(bearer_token);
  if (!language.empty()) request.header("Accept-Language", language);
  const Reply reply = request.send();
  EXPECT_EQ(reply.status, 200) << describe(reply);
  EXPECT_EQ(reply.header("Content-Type"), json_content_type);
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  return parsed(reply);
}

void expect_anonymous(const picojson::value& body) {
  EXPECT_EQ(at(body, {"currentUser", "isAuthenticated"}).serialize(), "false");
  EXPECT_EQ(at(body, {"currentUser", "id"}).serialize(), "null");
  EXPECT_EQ(at(body, {"currentUser", "userName"}).serialize(), "null");
  EXPECT_EQ(at(body, {"currentUser", "roles"}).serialize(), "[]");
  for (const char* name : {"name", "surName", "email"}) {
    EXPECT_EQ(at(body, {"currentUser", name}).serialize(), "null") << name;
  }
  EXPECT_EQ(at(body, {"currentUser", "emailVerified"}).serialize(), "false");
  EXPECT_EQ(at(body, {"auth", "grantedPolicies"}).serialize(), "{}");
}

TEST(ApplicationConfiguration, Anonymous) {
  checks("Also answered: application-configuration, anonymous");
  const picojson::value body = configuration();
  expect_anonymous(body);
  for (const char* part : {"values", "resources"})
    EXPECT_TRUE(at(body, {"localization", part}).is<picojson::object>()) << part;
  for (const char* part : {"setting", "features", "multiTenancy", "currentTenant", "timing", "clock"})
    EXPECT_TRUE(at(body, {part}).is<picojson::object>()) << part;
  EXPECT_EQ(at(body, {"setting", "values"}).serialize(), "{}");
  EXPECT_EQ(at(body, {"features", "values"}).serialize(), "{}");
  EXPECT_EQ(at(body, {"multiTenancy", "isEnabled"}).serialize(), "false");
  EXPECT_EQ(at(body, {"currentTenant"}).serialize(), R"({"id":null,"isAvailable":false,"name":null})");
  EXPECT_EQ(at(body, {"timing", "timeZone", "iana", "timeZoneName"}).to_str(), "Etc/UTC");
  EXPECT_EQ(at(body, {"clock", "kind"}).to_str(), "Unspecified");
}

TEST(ApplicationConfiguration, AnInvalidTokenIsIgnored) {
  checks("Also answered: application-configuration, a bad token");
  const std::string expired = token(claims_of(fill("$RUN-client")).set("exp", std::to_string(now() - 7200)));
  for (const std::string& bad :
       {std::string("x"), std::string("a.b.c"), expired, std::string(9000, 'x').substr(0, 7000)})
    expect_anonymous(configuration(bad));
  const std::string good = token(fill("$RUN-client"));
  const Reply twice = get(configuration_path).bearer(good).bearer(good).send();
  EXPECT_EQ(twice.status, 200) << describe(twice);
  expect_anonymous(parsed(twice));
}

TEST(ApplicationConfiguration, ACaller) {
  checks("Also answered: application-configuration, a caller");
  const auto user_name = [](const std::vector<std::pair<std::string, std::string>>& claims) {
    return at(configuration(token(fill("$RUN-client"), claims)), {"currentUser", "userName"}).to_str();
  };
  const picojson::value body = configuration(
      token(fill("$RUN-manager"), {{"roles", json_string(fill("$RUN-gestionnaire"))},
                                   {"preferred_username", "\"chloe\""},
                                   {"permissions", "[\"PortailClients.Liasses.VoirPieceDerogee\",\"Autre\"]"}}));
  EXPECT_EQ(at(body, {"currentUser", "isAuthenticated"}).serialize(), "true");
  EXPECT_EQ(at(body, {"currentUser", "id"}).to_str(), fill("$RUN-manager"));
  EXPECT_EQ(at(body, {"currentUser", "userName"}).to_str(), "chloe");
  EXPECT_EQ(at(body, {"currentUser", "roles"}).serialize(), fill(R"(["$RUN-gestionnaire"])"));
  const picojson::value granted = at(body, {"auth", "grantedPolicies"});
  ASSERT_TRUE(granted.is<picojson::object>());
  EXPECT_EQ(at(granted, {"PortailClients.Dashboard.Host"}).serialize(), "true");
  EXPECT_EQ(at(granted, {"PortailClients.Liasses.VoirPieceDerogee"}).serialize(), "true");
  EXPECT_FALSE(granted.contains("PortailClients.ObjetsCourrier.Update")) << "only true ones";

  EXPECT_EQ(at(configuration(token(fill("$RUN-admin"))), {"auth", "grantedPolicies"}).serialize(),
            R"({"PortailClients.ObjetsCourrier.Update":true})");
  EXPECT_EQ(at(configuration(token(fill("$RUN-client"))), {"auth", "grantedPolicies"}).serialize(), "{}");
  EXPECT_EQ(user_name({{"preferred_username", "\"a\""}, {"unique_name", "\"b\""}, {"name", "\"c\""}}), "a");
  EXPECT_EQ(user_name({{"unique_name", "\"b\""}, {"name", "\"c\""}}), "b");
  EXPECT_EQ(user_name({{"name", "\"Zoé Lefèvre\""}}), "Zoé Lefèvre");
}

TEST(ApplicationConfiguration, HasTheCallersClaims) {
  checks("Also answered: application-configuration, a caller");
  const auto current_user = [](const std::vector<std::pair<std::string, std::string>>& claims) {
    const picojson::value user = at(configuration(token(fill("$RUN-client"), claims)), {"currentUser"});
    std::string text;
    for (const char* name : {"name", "surName", "email", "emailVerified"}) text += at(user, {name}).serialize() + " ";
    return text;
  };
  EXPECT_EQ(current_user({}), "null null null false ");
  EXPECT_EQ(current_user({{"given_name", "\"Zoe\""}, {"family_name", "\"Petit\""}, {"name", "\"Zoe Petit\""}}),
            R"("Zoe" "Petit" null false )");
  EXPECT_EQ(current_user({{"name", "\"Zoe Petit\""}, {"email", "\"zoe@exemple.fr\""}, {"email_verified", "true"}}),
            R"("Zoe Petit" null "zoe@exemple.fr" true )");
  EXPECT_EQ(current_user({{"email", "\"zoe@exemple.fr\""}, {"email_verified", "\"True\""}}),
            R"(null null "zoe@exemple.fr" true )");
}

TEST(ApplicationConfiguration, Localization) {
  checks("Also answered: application-configuration, localization");
  struct Case {
    const char* accept;
    const char* culture;
  };
  for (const Case& each : {Case{"fr-CA,fr;q=0.9", "fr"}, {"en-GB", "en"}, {"de", "en"}, {"en;q=0.1,fr", "fr"}}) {
    const picojson::value body = configuration({}, each.accept);
    EXPECT_EQ(at(body, {"localization", "currentCulture", "cultureName"}).to_str(), each.culture);
    EXPECT_EQ(at(body, {"localization", "currentCulture", "name"}).to_str(), each.culture);
  }
  const picojson::value body = configuration();
  EXPECT_EQ(at(body, {"localization", "currentCulture", "cultureName"}).to_str(), "en");
  std::set<std::string> languages;
  const picojson::value list = at(body, {"localization", "languages"});
  ASSERT_TRUE(list.is<picojson::array>());
  for (const picojson::value& each : list.get<picojson::array>()) languages.insert(at(each, {"cultureName"}).to_str());
  EXPECT_EQ(languages, (std::set<std::string>{"en", "fr"}));
}

TEST(ApplicationConfiguration, TheTextsOfAbpsPackages) {
  checks("Also answered: application-configuration, localization");
  const auto texts = [](const std::string& query, std::string_view language) {
    const Reply reply = get(std::string(configuration_path) + query).header("Accept-Language", language).send();
    return at(parsed(reply), {"localization", "resources", "AbpUi", "texts", "Cancel"}).serialize();
  };
  EXPECT_EQ(texts("", "en"), "\"Cancel\"");
  EXPECT_EQ(texts("?includeLocalizationResources=True", "fr"), "\"Annuler\"");
  EXPECT_EQ(texts("?includeLocalizationResources=", "fr"), "\"Annuler\"");
  const Reply without = get(std::string(configuration_path) + "?IncludeLocalizationResources=false").send();
  EXPECT_EQ(at(parsed(without), {"localization", "resources"}).serialize(), "{}") << describe(without);
  expect_validation_error(get(std::string(configuration_path) + "?includeLocalizationResources=no").send(),
                          {"includeLocalizationResources"});
}

TEST(ApplicationConfiguration, TheTenant) {
  checks("Also answered: application-configuration, the tenant");
  PORTAIL_REQUIRE(environment().tenant, "PORTAIL_CONTRACT_TENANT_URL");
  const auto configuration_for = [](const std::string& bearer_token) {
    return parsed(get(configuration_path).bearer(bearer_token).send(*environment().tenant));
  };
  const picojson::value own =
      configuration_for(token(fill("$RUN-client"), {{"tenantid", json_string(contract_tenant)}}));
  EXPECT_EQ(at(own, {"currentTenant"}).serialize(),
            R"({"id":"contract-tenant","isAvailable":true,"name":"contract-tenant"})");
  EXPECT_EQ(at(own, {"currentUser", "tenantId"}).serialize(), "\"contract-tenant\"");
  const picojson::value foreign = configuration_for(token(fill("$RUN-client"), {{"tenantid", "\"autre-tenant\""}}));
  EXPECT_EQ(at(foreign, {"currentTenant", "id"}).serialize(), "\"contract-tenant\"");
  EXPECT_EQ(at(foreign, {"currentUser", "tenantId"}).serialize(), "null");
  expect_anonymous(foreign);
}

TEST(ApplicationConfiguration, TheTextsOfThePortal) {
  checks("Also answered: application-configuration, the portal's texts");
  const auto resource = [](std::string_view target, std::string_view language) {
    const picojson::value body = parsed(get(target).header("Accept-Language", language).send());
    const bool is_configuration = body.contains("localization");
    return at(is_configuration ? at(body, {"localization"}) : body, {"resources", "PortailClients"});
  };
  EXPECT_EQ(at(configuration(), {"localization", "defaultResourceName"}).to_str(), "PortailClients");
  for (const std::string_view target :
       {configuration_path, std::string_view("/api/abp/application-localization?onlyDynamics=false")}) {
    const picojson::value english = resource(target, "en");
    EXPECT_EQ(at(english, {"baseResources"}).serialize(), R"(["AbpValidation"])") << target;
    EXPECT_EQ(at(english, {"texts", "Permission:PortailClients"}).to_str(), "Customer portal");
    EXPECT_EQ(at(english, {"texts", "Permission:ObjetsCourrier.Update"}).to_str(), "Change mail objects");
    EXPECT_EQ(at(english, {"texts", "EntityNotFoundErrorMessage"}).to_str(), "There is no entity {0} with id = {1}!");
    const picojson::value french = resource(target, "fr");
    EXPECT_EQ(at(french, {"texts", "Permission:Dashboard.Host"}).to_str(), "Voir le tableau de bord");
    EXPECT_EQ(at(french, {"texts", "Permission:Liasses.VoirPieceDerogee"}).to_str(), "Voir les pièces dérogées");
    EXPECT_EQ(at(french, {"texts", "ValidationErrorMessage"}).to_str(), "Votre requête n'est pas valide !");
  }
  const Reply refused = Request("POST", "/api/app/objet-courrier").bearer(token(fill("$RUN-client"))).body("{}").send();
  const std::string code = at(parsed(refused), {"error", "code"}).to_str();
  EXPECT_EQ(code, "PortailClients:ObjetsCourrierNonModifiables") << describe(refused);
  EXPECT_EQ(at(resource(configuration_path, "en"), {"texts", code}).to_str(),
            at(parsed(refused), {"error", "message"}).to_str());
}

TEST(AlsoAnswered, TextsOfAbpsPackages) {
  checks("Also answered: application-localization");
  const auto get_localization = [](const std::string& query) {
    return parsed(get("/api/abp/application-localization" + query).send());
  };
  const picojson::value french = get_localization("?cultureName=fr-CA&onlyDynamics=false");
  EXPECT_EQ(at(french, {"currentCulture", "name"}).to_str(), "fr");
  for (const char* resource : {"AbpUi", "AbpValidation", "AbpAccount"}) {
    EXPECT_EQ(at(french, {"resources", resource, "baseResources"}).serialize(), "[]") << resource;
    EXPECT_FALSE(at(french, {"resources", resource, "texts"}).get<picojson::object>().empty()) << resource;
  }
  EXPECT_EQ(at(french, {"resources", "AbpUi", "texts", "Yes"}).to_str(), "Oui");
  EXPECT_EQ(at(french, {"resources", "AbpAccount", "texts", "Password"}).to_str(), "Mot de passe");
  EXPECT_EQ(at(get_localization(""), {"resources", "AbpValidation", "texts", "ThisFieldMustBeLessOrEqual{0}"}).to_str(),
            "{0} or less.");
  EXPECT_EQ(at(get_localization("?onlyDynamics=true"), {"resources"}).serialize(), "{}") << "none of them is dynamic";
  expect_validation_error(get("/api/abp/application-localization?onlyDynamics=1").send(), {"onlyDynamics"});
}

TEST(AlsoAnswered, ApplicationLocalization) {
  checks("Also answered: application-localization");
  for (const std::string language : {"en", "fr"}) {
    const Reply reply = get("/api/abp/application-localization").header("Accept-Language", language).send();
    EXPECT_EQ(reply.status, 200) << describe(reply);
    const picojson::value body = parsed(reply);
    EXPECT_TRUE(at(body, {"resources"}).is<picojson::object>()) << describe(reply);
    EXPECT_EQ(at(body, {"currentCulture", "cultureName"}).to_str(), language);
    EXPECT_EQ(at(body, {"currentCulture", "name"}).to_str(), language);
  }
  EXPECT_EQ(get("/api/abp/application-localization").bearer("x").send().status, 200);
}

TEST(AlsoAnswered, ApiDefinition) {
  checks("Also answered: api-definition");
  const Reply reply = get("/api/abp/api-definition").send();
  EXPECT_EQ(reply.status, 200) << describe(reply);
  for (const char* value : {"1", "null", "yes", "true,true"}) {
    expect_validation_error(get("/api/abp/api-definition?includeTypes=" + std::string(value)).send(), {"includeTypes"});
  }
  for (const char* value : {"", "true", "False", "%20TRUE%20"}) {
    EXPECT_EQ(get("/api/abp/api-definition?includeTypes=" + std::string(value)).send().status, 200) << value;
  }
  const picojson::value modules = at(parsed(reply), {"modules"});
  ASSERT_TRUE(modules.is<picojson::object>()) << describe(reply);
  std::set<std::string> actions;
  for (const auto& [module_name, module] : modules.get<picojson::object>()) {
    EXPECT_TRUE(at(module, {"rootPath"}).is<std::string>()) << module_name;
    const picojson::value controllers = at(module, {"controllers"});
    ASSERT_TRUE(controllers.is<picojson::object>()) << module_name;
    for (const auto& [controller_name, controller] : controllers.get<picojson::object>()) {
      const picojson::value of_controller = at(controller, {"actions"});
      ASSERT_TRUE(of_controller.is<picojson::object>()) << controller_name;
      for (const auto& [action_name, action] : of_controller.get<picojson::object>()) {
        for (const char* member : {"uniqueName", "name", "httpMethod", "url"})
          EXPECT_TRUE(at(action, {member}).is<std::string>()) << action_name << " " << member;
        for (const char* member : {"parametersOnMethod", "parameters"})
          EXPECT_TRUE(at(action, {member}).is<picojson::array>()) << action_name << " " << member;
        EXPECT_TRUE(at(action, {"returnValue"}).is<picojson::object>()) << action_name;
        actions.insert(at(action, {"httpMethod"}).to_str() + " " + at(action, {"url"}).to_str());
      }
    }
  }
  for (const char* route :
       {"GET api/app/objet-courrier", "GET api/app/objet-courrier/list-all", "GET api/app/objet-courrier/{id}",
        "PUT api/app/objet-courrier/{id}", "POST api/app/objet-courrier", "DELETE api/app/objet-courrier/{id}",
        "GET api/app/liasse", "GET api/app/liasse/{id}", "GET api/app/liasse/dashboard-list"})
    EXPECT_TRUE(actions.contains(route)) << route;
}

TEST(AlsoAnswered, Health) {
  checks("Also answered: health");
  constexpr std::string_view healthy = R"({"status":"Healthy","parts":{"store":"Healthy","keys":"Healthy"}})";
  expect_json(get("/health/ready").send(), healthy);
  expect_json(get("/health-status").send(), healthy);
  const Reply live = get("/health/live").send();
  EXPECT_EQ(live.status, 200) << describe(live);
  EXPECT_EQ(at(parsed(live), {"status"}).to_str(), "Healthy");
  EXPECT_EQ(get("/health/ready").bearer("x").send().status, 200);
}

TEST(AlsoAnswered, HealthWithoutKeys) {
  checks("Also answered: health, no usable key set");
  PORTAIL_REQUIRE(environment().keyless, "PORTAIL_CONTRACT_KEYLESS_URL");
  constexpr std::string_view unhealthy = R"({"status":"Unhealthy","parts":{"store":"Healthy","keys":"Unhealthy"}})";
  for (const char* target : {"/health/ready", "/health-status"}) {
    const Reply reply = get(target).send(*environment().keyless);
    EXPECT_EQ(reply.status, 503) << describe(reply);
    EXPECT_EQ(reply.body, unhealthy);
  }
  EXPECT_EQ(get("/health/live").send(*environment().keyless).status, 200);
}

TEST(AlsoAnswered, SwaggerDocument) {
  checks("Also answered: swagger.json");
  const Reply reply = get("/swagger/v1/swagger.json").send();
  EXPECT_EQ(reply.status, 200) << describe(reply);
  EXPECT_TRUE(reply.header("Content-Type").starts_with("application/json")) << describe(reply);
  const picojson::value body = parsed(reply);
  EXPECT_TRUE(at(body, {"openapi"}).to_str().starts_with("3.1.")) << at(body, {"openapi"}).to_str();
  EXPECT_TRUE(at(body, {"info", "title"}).is<std::string>());
  EXPECT_TRUE(at(body, {"info", "version"}).is<std::string>());
  struct Operation {
    const char* path;
    const char* method;
  };
  for (const Operation& each : {Operation{"/api/app/objet-courrier", "get"},
                                {"/api/app/objet-courrier", "post"},
                                {"/api/app/objet-courrier/list-all", "get"},
                                {"/api/app/objet-courrier/{id}", "get"},
                                {"/api/app/objet-courrier/{id}", "put"},
                                {"/api/app/objet-courrier/{id}", "delete"},
                                {"/api/app/objet-courrier/{id}/fichier-modele", "get"},
                                {"/api/app/liasse", "get"},
                                {"/api/app/liasse/{id}", "get"},
                                {"/api/app/liasse/dashboard-list", "get"}}) {
    const picojson::value operation = at(body, {"paths", each.path, each.method});
    EXPECT_TRUE(at(operation, {"responses"}).is<picojson::object>()) << each.method << " " << each.path;
  }
  for (const char* schema : {"ObjetCourrierDto", "ObjetCourrierUpdateDto", "LiasseDto", "PieceAttendueDto"})
    EXPECT_NE(reply.body.find(json_string(schema)), std::string::npos) << schema;
}

TEST(AlsoAnswered, SwaggerPage) {
  checks("Also answered: swagger index.html");
  const Reply reply = get("/swagger/index.html").send();
  EXPECT_EQ(reply.status, 200) << describe(reply);
  EXPECT_TRUE(reply.header("Content-Type").starts_with("text/html")) << describe(reply);
  EXPECT_NE(reply.body.find("<html"), std::string::npos);
  EXPECT_NE(reply.body.find("swagger.json"), std::string::npos) << "a page that shows the document";
}

TEST(AlsoAnswered, SwaggerLeadsToThePage) {
  checks("Also answered: swagger");
  for (const auto& [target, location] : {std::pair{"/swagger", "swagger/index.html"},
                                         {"/swagger/", "index.html"},
                                         {"/swagger?a=b/", "swagger/index.html"}}) {
    const Reply reply = get(target).send();
    EXPECT_EQ(reply.status, 302) << describe(reply);
    EXPECT_EQ(reply.header("Location"), location) << target;
    EXPECT_EQ(reply.body, "");
  }
  const Reply refused = Request("POST", "/swagger").send();
  EXPECT_EQ(refused.status, 405) << describe(refused);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD");
}

}  // namespace
}  // namespace portail::contract
