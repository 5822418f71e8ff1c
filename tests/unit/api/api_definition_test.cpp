// ABP's API definition: every route of the application, and the types if they are requested.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "core/api/routes.hpp"
#include "core/json/reader.hpp"
#include "tests/unit/api/documents_test.hpp"

namespace portail {
namespace {

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
