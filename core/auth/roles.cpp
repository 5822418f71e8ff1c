#include "core/auth/roles.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/text.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

// Calls visit(std::string_view) for the string, or for each string of the array.
template <class Visit>
void for_each_string(std::optional<JsonValue> claim, Visit visit) {
  if (!claim) return;
  if (const auto text = string_of(*claim)) {
    visit(*text);
  } else if (const auto array = array_of(*claim)) {
    for (const JsonValue item : *array) {
      if (const auto item_text = string_of(item)) visit(*item_text);
    }
  }
}

std::optional<JsonObject> object_member(JsonObject parent, std::string_view name) {
  const auto child = member(parent, name);
  return child ? object_of(*child) : std::nullopt;
}

}  // namespace

std::vector<std::string> read_roles(JsonObject claims, std::span<const std::string> audiences) {
  std::vector<std::string> roles;
  const auto add = [&roles](std::string_view role) {
    if (!role.empty() && std::ranges::find(roles, role) == roles.end()) roles.emplace_back(role);
  };
  for (const std::string_view name :
       {"role", "roles", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"}) {
    for_each_string(member(claims, name), add);
  }
  if (const auto realm = object_member(claims, "realm_access")) for_each_string(member(*realm, "roles"), add);
  if (const auto resources = object_member(claims, "resource_access")) {
    for (const std::string& audience : audiences) {
      if (const auto resource = object_member(*resources, audience)) for_each_string(member(*resource, "roles"), add);
    }
  }
  return roles;
}

PermissionSet read_permissions(JsonObject claims) {
  PermissionSet permissions;
  const auto add = [&permissions](std::string_view name) {
    if (const auto permission = permission_named(name)) permissions.add(*permission);
  };
  const auto claim = member(claims, "permissions");
  if (!claim) return permissions;
  if (const auto text = string_of(*claim)) {
    for (std::string_view names = *text; !names.empty();) add(take_until(names, ' '));
  } else {
    for_each_string(claim, add);
  }
  return permissions;
}

}  // namespace portail
