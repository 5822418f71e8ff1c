#include "core/auth/permissions.hpp"

namespace portail {

std::string_view name_of(Permission permission) {
  switch (permission) {
    case Permission::update_mail_objects:
      return "PortailClients.ObjetsCourrier.Update";
    case Permission::see_derogated_pieces:
      return "PortailClients.Liasses.VoirPieceDerogee";
    case Permission::dashboard:
      return "PortailClients.Dashboard.Host";
  }
  return {};
}

std::optional<Permission> permission_named(std::string_view name) {
  for (const Permission permission : all_permissions) {
    if (name_of(permission) == name) return permission;
  }
  return std::nullopt;
}

}  // namespace portail
