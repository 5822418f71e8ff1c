// Permissions that the operator granted, as the stored value `droits` holds them (docs/reference/storage-layout.md,
// "Keys"): one grant a line, `permission TAB kind TAB name LF`, kind being utilisateur, role or client, and name a JSON
// string as core/json writes it. Any thread.
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

// "utilisateur", "role" or "client": the words of the import document and of the stored lines.
[[nodiscard]] std::string_view name_of(GrantKind kind);
[[nodiscard]] std::optional<GrantKind> grant_kind_named(std::string_view name);

// Appends the stored line of one grant. `name` is UTF-8 of any length.
void append_grant(std::string& stored, Permission permission, GrantKind kind, std::string_view name);

// A view of the stored value: it copies nothing, and the bytes must outlive it.
class Grants {
 public:
  Grants() = default;  // nothing is granted
  // Failure::corrupt for text that append_grant never writes.
  [[nodiscard]] static Result<Grants> parse(std::string_view stored);

  // Calls visit(Permission, GrantKind, std::string_view name) for each grant in order, for tools; `name` is the JSON
  // string with its quotes, valid as long as the stored value.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::string_view rest = lines_; !rest.empty();) {
      const auto line = take_line(rest);
      if (!line) return;
      visit(line->permission, line->kind, line->quoted_name);
    }
  }

  [[nodiscard]] bool give(Permission permission, const Caller& caller) const;

 private:
  struct Line {
    Permission permission;
    GrantKind kind;
    std::string_view quoted_name;
  };
  explicit Grants(std::string_view lines) : lines_(lines) {}
  // Takes the first line off; nullopt where it is not a grant.
  static std::optional<Line> take_line(std::string_view& rest);

  std::string_view lines_;
};

// docs/reference/contract.md, "Who sees what: permissions": the token lists the permission, or a grant gives it to the
// caller's subject, to one of the roles, or to the client, where the token is the client's own.
[[nodiscard]] bool holds(const Caller& caller, Permission permission, const Grants& grants);

}  // namespace portail
