#include "core/auth/roles.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/auth/caller.hpp"
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

// Calls visit(std::string_view) for each word of the string, or for each string of the array.
template <class Visit>
void for_each_word(std::optional<JsonValue> claim, Visit visit) {
  const auto text = claim ? string_of(*claim) : std::nullopt;
  if (!text) return for_each_string(claim, visit);
  for (std::string_view words = *text; !words.empty();) visit(take_until(words, ' '));
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
  for_each_word(member(claims, "permissions"), [&permissions](std::string_view name) {
    if (const auto permission = permission_named(name)) permissions.add(*permission);
  });
  return permissions;
}

bool has_administration_claim(JsonObject claims) {
  bool found = false;
  for (const std::string_view claim : {"permissions", "scope"}) {
    for_each_word(member(claims, claim),
                  [&found](std::string_view name) { found = found || name == administration_permission; });
  }
  return found;
}

}  // namespace portail
