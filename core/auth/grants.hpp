// Permissions that the operator granted: the stored value `droits` (docs/reference/storage-layout.md, "Keys"). It has
// one grant a line, `permission TAB kind TAB name LF`. The kind is utilisateur, role or client; the name is a JSON
// string as core/json writes it. A line with another permission or kind, or with further fields, was written by a later
// version: it grants nothing, because what limits it is unknown. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/auth/caller.hpp"
#include "core/auth/permissions.hpp"
#include "core/base/failure.hpp"

namespace portail {

enum class GrantKind : std::uint8_t { user, role, client };

// Returns "utilisateur", "role" or "client", as in the import document and the stored lines.
[[nodiscard]] std::string_view name_of(GrantKind kind);
[[nodiscard]] std::optional<GrantKind> grant_kind_named(std::string_view name);

// Appends the stored line of one grant. `name` is UTF-8 of any length.
void append_grant(std::string& stored, Permission permission, GrantKind kind, std::string_view name);

// A view of the stored value, whose bytes must outlive it.
class Grants {
 public:
  Grants() = default;  // no grants
  // Failure::corrupt for a line that does not begin with two fields and a quoted name.
  [[nodiscard]] static Result<Grants> parse(std::string_view stored);

  // Calls visit(Permission, GrantKind, std::string_view name) for each known grant in order, for tools; `name` is the
  // JSON string with its quotes, valid as long as the stored value.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::string_view rest = lines_; !rest.empty();) {
      const auto line = take_line(rest);
      if (!line) return;
      if (line->permission && line->kind) visit(*line->permission, *line->kind, line->quoted_name);
    }
  }

  // Returns whether a grant gives the permission to the caller.
  [[nodiscard]] bool contains(Permission permission, const Caller& caller) const;

 private:
  struct Line {
    std::optional<Permission> permission;  // nullopt: unknown
    std::optional<GrantKind> kind;         // nullopt: unknown, or limited by further fields
    std::string_view quoted_name;
  };
  explicit Grants(std::string_view lines) : lines_(lines) {}
  // Removes the first line and returns it; nullopt if it has no quoted name.
  static std::optional<Line> take_line(std::string_view& rest);

  std::string_view lines_;
};

// Returns whether the caller has a permission (docs/reference/contract.md, "Who sees what: permissions"): the token
// lists it, or a grant gives it to the caller's subject or roles, or to the client if the token is the client's own.
[[nodiscard]] bool holds(const Caller& caller, Permission permission, const Grants& grants);

}  // namespace portail
