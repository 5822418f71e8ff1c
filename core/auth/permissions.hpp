// The permissions of the interface (docs/reference/contract.md, "Endpoints"), and sets of them. Plain values; any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace portail {

enum class Permission : std::uint8_t {
  update_mail_objects,   // PortailClients.ObjetsCourrier.Update
  see_derogated_pieces,  // PortailClients.Liasses.VoirPieceDerogee
  dashboard,             // PortailClients.Dashboard.Host
};

inline constexpr std::array all_permissions{Permission::update_mail_objects, Permission::see_derogated_pieces,
                                            Permission::dashboard};

// Returns the permission's name in tokens, grants and policies.
[[nodiscard]] std::string_view name_of(Permission permission);
// Returns the permission of exactly that name, or nullopt.
[[nodiscard]] std::optional<Permission> permission_named(std::string_view name);

class PermissionSet {
 public:
  constexpr void add(Permission permission) { bits_ = static_cast<std::uint8_t>(bits_ | bit(permission)); }
  [[nodiscard]] constexpr bool contains(Permission permission) const { return (bits_ & bit(permission)) != 0; }
  friend constexpr bool operator==(PermissionSet, PermissionSet) = default;

 private:
  static constexpr std::uint8_t bit(Permission permission) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(permission));
  }
  std::uint8_t bits_ = 0;
};

}  // namespace portail
