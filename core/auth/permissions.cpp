#include "core/auth/permissions.hpp"

namespace portail {

namespace {

struct Texts {
  std::string_view name;
  std::string_view missing;  // the name in the reason of a refusal
};

constexpr Texts texts_of(Permission permission) {
  switch (permission) {
    case Permission::update_mail_objects:
      return {"PortailClients.ObjetsCourrier.Update", "The permission PortailClients.ObjetsCourrier.Update is missing"};
    case Permission::see_derogated_pieces:
      return {"PortailClients.Liasses.VoirPieceDerogee",
              "The permission PortailClients.Liasses.VoirPieceDerogee is missing"};
    case Permission::dashboard:
      return {"PortailClients.Dashboard.Host", "The permission PortailClients.Dashboard.Host is missing"};
  }
  return {};
}

}  // namespace

std::string_view name_of(Permission permission) { return texts_of(permission).name; }

std::string_view describe_missing(Permission permission) { return texts_of(permission).missing; }

std::optional<Permission> permission_named(std::string_view name) {
  for (const Permission permission : all_permissions) {
    if (name_of(permission) == name) return permission;
  }
  return std::nullopt;
}

}  // namespace portail
