// Reads roles and permissions from the claims of a token, in all forms that identity providers use
// (docs/reference/contract.md, "Who sees what: permissions"). Claims of other forms are ignored. Pure functions; any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/auth/permissions.hpp"
#include "core/json/value.hpp"

namespace portail {

// From `role`, `roles`, the WS-Federation claim, `realm_access.roles` and, for each of `audiences`,
// `resource_access.<audience>.roles`: each a string or an array of strings. In that order, each role once.
[[nodiscard]] std::vector<std::string> read_roles(JsonObject claims, std::span<const std::string> audiences);

// From `permissions`: an array of strings, or one string with spaces. Unknown names are ignored.
[[nodiscard]] PermissionSet read_permissions(JsonObject claims);

// Whether `permissions`, in the same forms, or `scope` (RFC 8693 section 4.2: a string with spaces; or an array)
// contains the permission of the management interface.
[[nodiscard]] bool has_administration_claim(JsonObject claims);

}  // namespace portail
