// The OpenAPI document describes the routes, the answers and the parameters as they are.
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/api/routes.hpp"
#include "core/json/reader.hpp"
#include "tests/unit/api/documents_test.hpp"

namespace portail {
namespace {

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

}  // namespace
}  // namespace portail
