#include "core/auth/roles.hpp"

#include <gtest/gtest.h>

#include "core/json/reader.hpp"

namespace portail {
namespace {

using Roles = std::vector<std::string>;

Roles roles(std::string_view claims) {
  const std::vector<std::string> audiences{"portail", "api://portail"};
  const auto document = parse_json(claims);
  EXPECT_TRUE(document.has_value()) << claims;
  return read_roles(*object_of(document->root()), audiences);
}

PermissionSet permissions(std::string_view claims) {
  const auto document = parse_json(claims);
  EXPECT_TRUE(document.has_value()) << claims;
  return read_permissions(*object_of(document->root()));
}

PermissionSet set(std::initializer_list<Permission> members) {
  PermissionSet result;
  for (const Permission permission : members) result.add(permission);
  return result;
}

TEST(Roles, AreReadFromEveryClaimAsStringOrArray) {
  for (std::string_view value : {R"("a")", R"(["a"])"}) {
    const std::string text(value);
    EXPECT_EQ(roles(R"({"role":)" + text + "}"), Roles{"a"});
    EXPECT_EQ(roles(R"({"roles":)" + text + "}"), Roles{"a"});
    EXPECT_EQ(roles(R"({"http://schemas.microsoft.com/ws/2008/06/identity/claims/role":)" + text + "}"), Roles{"a"});
    EXPECT_EQ(roles(R"({"realm_access":{"roles":)" + text + "}}"), Roles{"a"});
    EXPECT_EQ(roles(R"({"resource_access":{"portail":{"roles":)" + text + "}}}"), Roles{"a"});
    EXPECT_EQ(roles(R"({"resource_access":{"api://portail":{"roles":)" + text + "}}}"), Roles{"a"});
  }
}

TEST(Roles, AreGatheredOnceEach) {
  EXPECT_EQ(roles(R"({"realm_access":{"roles":["c","a"]},"roles":["b","a","b"],"role":"a"})"), (Roles{"a", "b", "c"}));
}

TEST(Roles, KeepTheirSpacesAndTheirCase) {
  EXPECT_EQ(roles(R"({"role":["chef d'agence","Chef D'agence"]})"), (Roles{"chef d'agence", "Chef D'agence"}));
}

TEST(Roles, OfOtherServicesDoNotCount) {
  EXPECT_EQ(roles(R"({"resource_access":{"other":{"roles":["a"]},"Portail":{"roles":["a"]}}})"), Roles{});
}

TEST(Roles, OfAnotherShapeDoNotCount) {
  EXPECT_EQ(roles(R"({"role":7,"roles":{"a":true},"realm_access":["a"],"resource_access":{"portail":["a"]}})"),
            Roles{});
  EXPECT_EQ(roles(R"({"role":["",null,["a"],7,"b"],"realm_access":"a","resource_access":"a","Role":"a"})"), Roles{"b"});
}

TEST(Permissions, AreAnArrayOrOneStringWithSpaces) {
  const PermissionSet both = set({Permission::update_mail_objects, Permission::dashboard});
  EXPECT_EQ(permissions(R"({"permissions":["PortailClients.Dashboard.Host","PortailClients.ObjetsCourrier.Update"]})"),
            both);
  EXPECT_EQ(permissions(R"({"permissions":"PortailClients.Dashboard.Host PortailClients.ObjetsCourrier.Update"})"),
            both);
  EXPECT_EQ(permissions(R"({"permissions":" other  PortailClients.Liasses.VoirPieceDerogee "})"),
            set({Permission::see_derogated_pieces}));
}

TEST(Permissions, OfAnotherShapeOrNameAreLeftOut) {
  EXPECT_EQ(permissions("{}"), PermissionSet{});
  EXPECT_EQ(permissions(R"({"permissions":["portailclients.dashboard.host","PortailClients.Dashboard.Host2",7]})"),
            PermissionSet{});
  EXPECT_EQ(permissions(R"({"permissions":["PortailClients.Dashboard.Host PortailClients.ObjetsCourrier.Update"]})"),
            PermissionSet{});
  EXPECT_EQ(permissions(R"({"permissions":{"PortailClients.Dashboard.Host":true}})"), PermissionSet{});
  EXPECT_EQ(permissions(R"({"permissions":"PortailClients.Dashboard.Host,PortailClients.ObjetsCourrier.Update"})"),
            PermissionSet{});
}

TEST(Permissions, HaveTheirNames) {
  EXPECT_EQ(name_of(Permission::update_mail_objects), "PortailClients.ObjetsCourrier.Update");
  EXPECT_EQ(name_of(Permission::see_derogated_pieces), "PortailClients.Liasses.VoirPieceDerogee");
  EXPECT_EQ(name_of(Permission::dashboard), "PortailClients.Dashboard.Host");
  EXPECT_EQ(permission_named("PortailClients.Dashboard.Host"), Permission::dashboard);
  EXPECT_EQ(permission_named("PortailClients.Dashboard"), std::nullopt);
}

}  // namespace
}  // namespace portail
