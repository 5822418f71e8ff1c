#include "core/auth/grants.hpp"

#include <algorithm>
#include <array>

#include "core/base/text.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

constexpr std::array all_kinds{GrantKind::user, GrantKind::role, GrantKind::client};

// Returns whether `text` is a string of append_json_string: no raw control, raw quote or trailing `\` between its
// quotes.
bool is_quoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || static_cast<unsigned char>(text[i]) < 0x20) return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
  }
  return true;
}

// Returns whether `quoted` is the output of append_json_string for `name`, which is unique.
bool equals_name(std::string_view quoted, std::string_view name) {
  const bool escaped = quoted.find('\\') != std::string_view::npos;
  if (!escaped) return quoted.substr(1, quoted.size() - 2) == name;
  std::string expected;
  append_json_string(expected, name);
  return quoted == expected;
}

}  // namespace

std::string_view name_of(GrantKind kind) {
  switch (kind) {
    case GrantKind::user:
      return "utilisateur";
    case GrantKind::role:
      return "role";
    case GrantKind::client:
      return "client";
  }
  return {};
}

std::optional<GrantKind> grant_kind_named(std::string_view name) {
  for (const GrantKind kind : all_kinds) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

void append_grant(std::string& stored, Permission permission, GrantKind kind, std::string_view name) {
  stored += name_of(permission);
  stored += '\t';
  stored += name_of(kind);
  stored += '\t';
  append_json_string(stored, name);
  stored += '\n';
}

std::optional<Grants::Line> Grants::take_line(std::string_view& rest) {
  std::string_view fields = take_until(rest, '\n');
  const auto permission = permission_named(take_until(fields, '\t'));
  const auto kind = grant_kind_named(take_until(fields, '\t'));
  const bool has_further_fields = fields.find('\t') != std::string_view::npos;
  const std::string_view name = take_until(fields, '\t');
  if (!is_quoted(name)) return std::nullopt;
  return Line{permission, has_further_fields ? std::nullopt : kind, name};
}

Result<Grants> Grants::parse(std::string_view stored) {
  if (!stored.empty() && !stored.ends_with('\n')) return std::unexpected(Failure::corrupt);
  for (std::string_view rest = stored; !rest.empty();) {
    if (!take_line(rest)) return std::unexpected(Failure::corrupt);
  }
  return Grants(stored);
}

bool Grants::contains(Permission permission, const Caller& caller) const {
  bool is_granted = false;
  for_each([&](Permission granted, GrantKind kind, std::string_view quoted) {
    if (is_granted || granted != permission) return;
    switch (kind) {
      case GrantKind::user:
        is_granted = !caller.subject.empty() && equals_name(quoted, caller.subject);
        break;
      case GrantKind::role:
        is_granted =
            std::ranges::any_of(caller.roles, [quoted](const std::string& role) { return equals_name(quoted, role); });
        break;
      case GrantKind::client:
        is_granted = caller.is_client_token && !caller.client.empty() && equals_name(quoted, caller.client);
        break;
    }
  });
  return is_granted;
}

bool holds(const Caller& caller, Permission permission, const Grants& grants) {
  return caller.permissions.contains(permission) || grants.contains(permission, caller);
}

}  // namespace portail
