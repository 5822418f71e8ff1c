#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sodium.h>

#include "core/api/routes.hpp"
#include "core/auth/base64url.hpp"
#include "core/json/reader.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

constexpr std::string_view open_api_target = "/swagger/v1/swagger.json";
constexpr std::string_view page_target = "/swagger/index.html";
constexpr std::string_view definition_target = "/api/abp/api-definition";

// "GET /api/app/liasse"
using Operations = std::set<std::string>;

std::string operation(std::string_view method, std::string_view path) {
  std::string name;
  for (const char c : method) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name.append(" ").append(path);
}

JsonObject as_object(JsonValue element) {
  const auto object = object_of(element);
  EXPECT_TRUE(object.has_value());
  return object.value_or(JsonObject{});
}
// An object's member that is an array.
JsonArray array(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  const auto found = value ? array_of(*value) : std::nullopt;
  EXPECT_TRUE(found.has_value()) << name;
  return found.value_or(JsonArray{});
}
JsonObject root(const JsonDocument& document) { return as_object(document.root()); }

// Returns the member at a path of names.
JsonObject at(JsonObject object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = member(object, name);
    EXPECT_TRUE(value.has_value()) << name;
    if (value) object = as_object(*value);
  }
  return object;
}

std::string_view text(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  return (value ? string_of(*value) : std::nullopt).value_or("");
}

std::set<std::string> names(JsonObject object) {
  std::set<std::string> found;
  for (const auto& [name, value] : object) found.emplace(name);
  return found;
}

// Collects the names in every "$ref" of the document, after "#/components/".
void collect_references(JsonValue element, std::set<std::string>& found) {
  if (const auto array = array_of(element)) {
    for (const auto inner : *array) collect_references(inner, found);
  } else if (const auto object = object_of(element)) {
    for (const auto& [name, value] : *object) {
      if (name == "$ref") found.emplace(string_of(value).value_or("").substr(13));
      collect_references(value, found);
    }
  }
}

// Collects the schemas of objects without a described member: generators make an empty type of each.
void collect_empty_types(JsonValue element, const std::string& path, std::set<std::string>& found) {
  if (const auto array = array_of(element)) {
    for (const auto inner : *array) collect_empty_types(inner, path, found);
  } else if (const auto object = object_of(element)) {
    if (string_member(*object, "type") == "object" && !member(*object, "properties") &&
        !member(*object, "additionalProperties")) {
      found.insert(path);
    }
    for (const auto& [name, value] : *object) collect_empty_types(value, path + "/" + std::string(name), found);
  }
}

// Collects the members of a value, at any depth, that its schema does not describe.
void collect_undescribed(JsonObject schemas, JsonObject schema, JsonValue value, const std::string& path,
                         std::set<std::string>& found) {
  if (const auto reference = string_member(schema, "$ref")) {
    schema = at(schemas, {reference->substr(reference->rfind('/') + 1)});
  }
  if (const auto items = array_of(value)) {
    for (const auto item : *items) collect_undescribed(schemas, at(schema, {"items"}), item, path, found);
  } else if (const auto members = object_of(value)) {
    const auto properties = member(schema, "properties");
    for (const auto& [name, inner] : *members) {
      const std::string inner_path = path + "/" + std::string(name);
      auto described = properties ? member(as_object(*properties), name) : std::nullopt;
      if (!described) described = member(schema, "additionalProperties");
      if (!described) {
        found.insert(inner_path);
      } else if (const auto inner_schema = object_of(*described)) {  // else true: any value
        collect_undescribed(schemas, *inner_schema, inner, inner_path, found);
      }
    }
  }
}

// Returns the source with which a Content-Security-Policy allows the content of the tag.
std::string allowing_source(std::string_view page, const std::string& tag) {
  const std::size_t begin = page.find("<" + tag + ">") + tag.size() + 2;
  const std::string_view content = page.substr(begin, page.find("</" + tag + ">") - begin);
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(content.data()), content.size());
  std::string base64 = base64url_encode(std::as_bytes(std::span(hash)));
  for (char& c : base64) c = c == '-' ? '+' : c == '_' ? '/' : c;
  return tag + "-src 'sha256-" + base64 + "=';";
}

class DocumentsTest : public PortalTest {
 protected:
  // Returns the document at `target`, read anonymously.
  JsonDocument read(std::string_view target) {
    const Answer answer = get(target, "");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Type"), "application/json; charset=utf-8");
    auto document = parse_json(answer.body, {.unique_names = true});
    EXPECT_TRUE(document.has_value());
    return document ? std::move(*document) : std::move(*parse_json("{}"));
  }
};

TEST_F(DocumentsTest, OpenApiDocumentHasEveryRouteAndNoOther) {
  Operations served;
  for (const Route& route : all_routes()) {
    const std::string_view path = route.pattern.text();
    if (route.access == Access::open && !path.starts_with("/api/"))
      continue;  // the document itself, and redirects to it
    for (const MethodEndpoint& method : route.methods) served.insert(operation(method.method, path));
  }
  Operations described;
  const JsonDocument document = read(open_api_target);
  for (const auto& [path, item] : at(root(document), {"paths"})) {
    for (const auto& [method, content] : as_object(item)) {
      if (method != "parameters") described.insert(operation(method, path));
    }
  }
  EXPECT_EQ(described, served);
  EXPECT_TRUE(described.contains("PUT /api/app/objet-courrier/{id}"));
  EXPECT_TRUE(described.contains("DELETE /api/app/objet-courrier/{id}"));
}

TEST_F(DocumentsTest, OpenApiDocumentHasExactlyTheReferencedComponents) {
  const JsonDocument document = read(open_api_target);
  EXPECT_EQ(text(root(document), "openapi"), "3.1.0");
  std::set<std::string> referred;
  collect_references(document.root(), referred);
  std::set<std::string> held;
  for (const std::string_view kind : {"headers", "parameters", "responses", "schemas"}) {
    for (const std::string& name : names(at(root(document), {"components", kind}))) {
      held.insert(std::string(kind).append("/").append(name));
    }
  }
  EXPECT_EQ(referred, held);
}

TEST_F(DocumentsTest, OpenApiDocumentHasTheConditionsOfEveryTag) {
  const JsonDocument document = read(open_api_target);
  for (const auto& [path, item] : at(root(document), {"paths"})) {
    for (const auto& [method, content] : as_object(item)) {
      std::set<std::string> references;
      collect_references(content, references);
      const bool is_tagged = path.starts_with("/api/") && (method == "get" || method == "put");
      EXPECT_EQ(references.contains("headers/ETag"), is_tagged) << method << path;
      if (!is_tagged) continue;
      for (const char* name : {"parameters/If-Match", "parameters/If-None-Match", "responses/PreconditionFailed"}) {
        EXPECT_TRUE(references.contains(name)) << method << path << name;
      }
      EXPECT_EQ(references.contains("responses/RequestTimeout"), method == "put") << path;
    }
  }
}

TEST_F(DocumentsTest, OpenApiDocumentHasThePermissions) {
  const JsonDocument document = read(open_api_target);
  Operations with_token;
  Operations with_permission;
  for (const auto& [path, item] : at(root(document), {"paths"})) {
    for (const auto& [method, content] : as_object(item)) {
      if (method == "parameters") continue;
      const bool has_own = member(as_object(content), "security").has_value();
      for (const JsonValue each : array(has_own ? as_object(content) : root(document), "security")) {
        if (!member(as_object(each), "bearer")) {  // a token is optional
          with_token.erase(operation(method, path));
          break;
        }
        with_token.insert(operation(method, path));
        for (const JsonValue role : array(as_object(each), "bearer")) {
          with_permission.insert(operation(method, path).append(" ").append(string_of(role).value_or("")));
        }
      }
    }
  }
  Operations served;
  for (const Route& route : all_routes()) {
    if (route.access != Access::token) continue;
    for (const MethodEndpoint& method : route.methods) served.insert(operation(method.method, route.pattern.text()));
  }
  EXPECT_EQ(with_token, served);
  EXPECT_EQ(with_permission, (Operations{"GET /api/app/liasse/dashboard-list PortailClients.Dashboard.Host",
                                         "PUT /api/app/objet-courrier/{id} PortailClients.ObjetsCourrier.Update"}));
  EXPECT_EQ(text(at(root(document), {"components", "securitySchemes", "bearer"}), "scheme"), "bearer");
}

// Answers have exactly the described members, in the same order.
TEST_F(DocumentsTest, OpenApiSchemasMatchTheAnswers) {
  const JsonDocument document = read(open_api_target);
  const auto expect_members = [&](std::string_view schema, JsonObject answered) {
    std::string expected;
    std::string found;
    for (const auto& [name, value] : at(root(document), {"components", "schemas", schema, "properties"})) {
      expected.append(name).append(" ");
    }
    for (const auto& [name, value] : answered) found.append(name).append(" ");
    EXPECT_EQ(found, expected) << schema;
  };
  const auto parsed = [](const Answer& answer) { return parse_json(answer.body).value(); };

  expect_members("ObjetCourrierDto", root(parsed(get("/api/app/objet-courrier/1", client))));
  expect_members("ObjetCourrierDtoPagedResultDto", root(parsed(get("/api/app/objet-courrier", client))));
  const JsonDocument bundle = parsed(get("/api/app/liasse/L-1", client));
  expect_members("LiasseDto", root(bundle));
  std::size_t pieces = 0;
  for (const auto piece : array(root(bundle), "piecesAttendues")) {
    expect_members("PieceAttendueDto", as_object(piece));
    ++pieces;
  }
  EXPECT_EQ(pieces, 2U);
  const JsonDocument error = parsed(get("/api/app/objet-courrier/42", client));
  expect_members("RemoteServiceErrorResponse", root(error));
  expect_members("RemoteServiceErrorInfo", at(root(error), {"error"}));
  const JsonDocument configuration = parsed(get("/api/abp/application-configuration", client));
  EXPECT_EQ(names(at(root(document), {"components", "schemas", "ApplicationConfigurationDto", "properties"})),
            names(root(configuration)));
  expect_members("CurrentCultureDto", at(root(configuration), {"localization", "currentCulture"}));
  expect_members("ApplicationLocalizationDto", root(parsed(get("/api/abp/application-localization", ""))));
  expect_members("ApplicationApiDescriptionModel", root(read(definition_target)));
  expect_members("HealthStatus", root(parsed(get("/health/ready", ""))));
}

TEST_F(DocumentsTest, OpenApiDocumentHasNoEmptyType) {
  std::set<std::string> empty;
  collect_empty_types(read(open_api_target).root(), "", empty);
  EXPECT_EQ(empty, std::set<std::string>{});
}

TEST_F(DocumentsTest, OpenApiSchemasDescribeEachMember) {
  const JsonDocument document = read(open_api_target);
  const JsonObject schemas = at(root(document), {"components", "schemas"});
  const auto undescribed = [&](std::string_view schema, const Answer& answer) {
    std::set<std::string> found;
    const JsonDocument parsed = parse_json(answer.body).value();
    collect_undescribed(schemas, at(schemas, {schema}), parsed.root(), "", found);
    return found;
  };
  const Answer refusal = get("/api/app/liasse/dashboard-list", client);
  EXPECT_EQ(refusal.status, 403);
  EXPECT_TRUE(refusal.body.contains(R"("data":{"PolicyName":"PortailClients.Dashboard.Host"})")) << refusal.body;
  const std::set<std::string> none;
  EXPECT_EQ(undescribed("RemoteServiceErrorResponse", refusal), none);
  for (const std::string_view token : {std::string_view(), std::string_view(client)}) {
    EXPECT_EQ(undescribed("ApplicationConfigurationDto", get("/api/abp/application-configuration", token)), none);
  }
  EXPECT_EQ(undescribed("ApplicationLocalizationDto", get("/api/abp/application-localization", "")), none);
  EXPECT_EQ(undescribed("ApplicationApiDescriptionModel",
                        get(std::string(definition_target).append("?includeTypes=true"), "")),
            none);
  EXPECT_EQ(undescribed("LiasseDto", get("/api/app/objet-courrier/1", client)).size(), 5U) << "other members are found";
}

TEST_F(DocumentsTest, DocumentsAreRevalidated) {
  for (const std::string_view target : {open_api_target, page_target, definition_target}) {
    const Answer first = get(target, "");
    EXPECT_EQ(first.header("Cache-Control"), target == definition_target ? "no-store" : "private, no-cache");
    TestRequest again("GET", target);
    again.header("If-None-Match", first.header("ETag").value_or(""));
    const Answer second = ask(again.view());
    EXPECT_EQ(second.status, 304) << target;
    EXPECT_EQ(second.body, "");
    EXPECT_EQ(second.header("ETag"), first.header("ETag"));
  }
}

TEST_F(DocumentsTest, PageIsSelfContained) {
  const Answer page = get(page_target, "");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.starts_with("<!DOCTYPE html>\n"));
  // Nothing from other origins, and no way to execute markup as script.
  for (const std::string_view absent : {"http:", "https:", "src=", "innerHTML", "onclick"}) {
    EXPECT_FALSE(page.body.contains(absent)) << absent;
  }
  // Readable without its script.
  const std::size_t script = page.body.find("<script>");
  EXPECT_TRUE(page.body.substr(0, script).contains(R"(<a href="v1/swagger.json">v1/swagger.json</a>)"));
}

TEST_F(DocumentsTest, AddressOfTheServerLeadsToThePage) {
  for (const auto& [target, location] : {std::pair<std::string_view, std::string_view>{"/", "swagger/index.html"},
                                         {"/?code=1/", "swagger/index.html"},
                                         {"http://host", "swagger/index.html"},
                                         {"http://host?a=b/", "swagger/index.html"},
                                         {"http://host/swagger/", "index.html"},
                                         {"/swagger", "swagger/index.html"},
                                         {"/Swagger/?a", "index.html"}}) {
    const Answer answer = get(target, "");
    EXPECT_EQ(answer.status, 302) << target;
    EXPECT_EQ(answer.header("Location"), location) << target;
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_EQ(get("//", "").status, 404);
}

TEST_F(DocumentsTest, PagePolicyAllowsItsOwnScriptAndStyleOnly) {
  const Answer page = get(page_target, "");
  const std::string expected = "default-src 'none'; " + allowing_source(page.body, "script") + " " +
                               allowing_source(page.body, "style") +
                               " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  EXPECT_EQ(page.header("Content-Security-Policy"), expected);
}

TEST_F(DocumentsTest, ApiDefinitionHasEveryRouteOfTheApplication) {
  Operations served;
  for (const Route& route : all_routes()) {
    if (!route.pattern.text().starts_with("/api/app/")) continue;
    for (const MethodEndpoint& method : route.methods) {
      served.insert(operation(method.method, route.pattern.text()));
    }
  }
  Operations described;
  const JsonDocument document = read(definition_target);
  for (const auto& [type, controller] : at(root(document), {"modules", "app", "controllers"})) {
    EXPECT_EQ(text(as_object(controller), "type"), type);
    for (const auto& [name, value] : at(as_object(controller), {"actions"})) {
      const auto action = as_object(value);
      EXPECT_EQ(text(action, "uniqueName"), name);
      described.insert(operation(text(action, "httpMethod"), std::string("/").append(text(action, "url"))));
    }
  }
  EXPECT_EQ(described, served);
  EXPECT_TRUE(described.contains("DELETE /api/app/objet-courrier/{id}"));
}

// Sends every query parameter of every operation: with a value of its type, an invalid one, and an empty one.
TEST_F(DocumentsTest, QueryParametersAreAcceptedAsDescribed) {
  const JsonDocument document = read(open_api_target);
  const JsonObject parameters = at(root(document), {"components", "parameters"});
  std::set<std::string> tried;
  std::set<std::string> may_be_empty;
  for (const auto& [path, item] : at(root(document), {"paths"})) {
    for (const auto& [method, described] : as_object(item)) {
      const auto own = method == "parameters" ? described : member(as_object(described), "parameters");
      const auto list = own ? array_of(*own) : std::nullopt;
      if (!list) continue;
      for (const auto reference : *list) {
        const std::string_view name =
            text(as_object(reference), "$ref").substr(std::string_view("#/components/parameters/").size());
        const JsonObject parameter = at(parameters, {name});
        if (text(parameter, "in") != "query") continue;
        ASSERT_EQ(method, "get") << name;
        EXPECT_EQ(text(parameter, "name"), name);
        const auto allowed = member(parameter, "allowEmptyValue");
        ASSERT_TRUE(allowed.has_value()) << name << ": the description must state whether it may be empty";
        const bool empty_is_allowed = boolean_of(*allowed).value_or(false);
        const auto status_of = [&](std::string_view value) {
          return get(std::string(path).append("?").append(name).append(value), client).status;
        };
        const std::string_view type = text(at(parameter, {"schema"}), "type");
        for (const std::string_view value : {"=", ""}) {
          EXPECT_EQ(status_of(value), empty_is_allowed ? 200 : 400) << name << value;
        }
        if (empty_is_allowed) {
          const std::string target = std::string(path).append("?").append(name);
          EXPECT_EQ(get(target + "=", client).body, get(path, client).body) << name;
          may_be_empty.emplace(name);
        }
        if (type == "integer") {
          const auto bound = [&](std::string_view limit) {
            const auto value = member(at(parameter, {"schema"}), limit);
            return value ? integer_of(*value).value_or(0) : 0;
          };
          EXPECT_EQ(status_of("=" + std::to_string(bound("minimum"))), 200) << name;
          EXPECT_EQ(status_of("=" + std::to_string(bound("maximum"))), 200) << name;
          EXPECT_EQ(status_of("=" + std::to_string(bound("minimum") - 1)), 400) << name;
          EXPECT_EQ(status_of("=" + std::to_string(bound("maximum") + 1)), 400) << name;
        }
        if (type == "boolean") {
          for (const std::string_view value : {"=true", "=false"}) EXPECT_EQ(status_of(value), 200) << name << value;
        }
        if (type != "string") {
          for (const std::string_view value : {"=x", "=1.0", "=null", "=%00", "=true,false"}) {
            EXPECT_EQ(status_of(value), 400) << name << value;
          }
        }
        tried.insert(std::string(path).append(" ").append(name));
      }
    }
  }
  EXPECT_EQ(tried, (std::set<std::string>{"/api/app/objet-courrier SkipCount", "/api/app/objet-courrier MaxResultCount",
                                          "/api/app/objet-courrier Sorting", "/api/app/objet-courrier Filter",
                                          "/api/abp/application-configuration includeLocalizationResources",
                                          "/api/abp/application-localization onlyDynamics",
                                          "/api/abp/application-localization cultureName",
                                          "/api/abp/api-definition includeTypes"}));
  EXPECT_EQ(may_be_empty, (std::set<std::string>{"Sorting", "Filter", "includeLocalizationResources", "onlyDynamics",
                                                 "cultureName", "includeTypes"}));
}

TEST_F(DocumentsTest, ApiDefinitionDescribesTypesIfRequested) {
  EXPECT_EQ(names(at(root(read(definition_target)), {"types"})), std::set<std::string>{});
  for (const std::string_view query :
       {"?includeTypes=false", "?includeTypes=", "?includeTypes=%20FALSE", "?other=true"}) {
    EXPECT_TRUE(get(std::string(definition_target).append(query), "").body.ends_with(R"(,"types":{}})")) << query;
  }
  for (const std::string_view query : {"?includeTypes=1", "?includeTypes=null", "?includeTypes=true,"}) {
    const Answer answer = get(std::string(definition_target).append(query), "");
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_NE(answer.body.find(R"("members":["includeTypes"])"), std::string::npos) << answer.body;
  }
  constexpr std::string_view with_types = "/api/abp/api-definition?IncludeTypes=True";
  const std::string body = get(with_types, "").body;
  const JsonDocument document = read(with_types);
  const auto types = at(root(document), {"types"});
  const std::set<std::string> described = names(types);
  EXPECT_TRUE(std::ranges::includes(described, std::set<std::string>{
                                                   "PortailClients.Liasses.LiasseDto",
                                                   "PortailClients.Liasses.ObjetCourrierPieceDto",
                                                   "PortailClients.Liasses.PieceAttendueDto",
                                                   "PortailClients.ObjetsCourrier.GetObjetsCourrierInput",
                                                   "PortailClients.ObjetsCourrier.ObjetCourrierDto",
                                                   "PortailClients.ObjetsCourrier.ObjetCourrierUpdateDto",
                                                   "Volo.Abp.Application.Dtos.LimitedResultRequestDto",
                                                   "Volo.Abp.Application.Dtos.ListResultDto<T0>",
                                                   "Volo.Abp.Application.Dtos.PagedAndSortedResultRequestDto",
                                                   "Volo.Abp.Application.Dtos.PagedResultDto<T0>",
                                                   "Volo.Abp.Application.Dtos.PagedResultRequestDto",
                                                   "Volo.Abp.Content.IRemoteStreamContent",
                                               }));
  for (const std::string& name : described) {
    const std::string_view type = std::string_view(name).substr(0, name.find('<'));
    EXPECT_NE(body.find(type), body.rfind(type)) << name << " is not referred to";
  }
  std::string members;
  for (const auto property : array(at(types, {"PortailClients.Liasses.PieceAttendueDto"}), "properties")) {
    members.append(text(as_object(property), "jsonName")).append(":");
    members.append(text(as_object(property), "typeSimple")).append(" ");
  }
  EXPECT_EQ(members,
            "id:string objetCourrier:PortailClients.Liasses.ObjetCourrierPieceDto statut:string motif:string ");
}

}  // namespace
}  // namespace portail
