// Faults that the URLs of stores share. The results contain no part of a password. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"

namespace portail {

// Names the parameter, unless it may be a part of a password that has a ?: then an @ follows in the query.
inline std::string unknown_parameter(std::string_view name, std::string_view query,
                                     std::span<const std::string_view> known) {
  const bool may_be_password = query.contains('@');
  const bool is_name = !name.empty() && name.size() <= 40 && !may_be_password &&
                       std::ranges::all_of(name, [](char c) { return is_ascii_letter(c) || c == '_'; });
  const std::string shown = is_name ? ' ' + std::string(name) + NearestName(name, known).question() : std::string();
  return "unknown parameter" + shown + " (docs/reference/stores.md lists them)" +
         (may_be_password ? ", or a ? in the user or password that must be written as %3F" : "");
}

// Returns which character of the user or password ends the authority too early, and how to write it; empty if none
// does. `text` is the URL after `//`. A path and the name of a parameter have no @. A value may have one, unless the
// authority is invalid without it.
inline std::string misplaced_separator(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  const std::string_view authority = text.substr(0, end);
  const bool has_user = authority.contains('@');
  if (end == text.size() || !(has_user || authority.contains(':'))) return {};
  const std::string_view rest = text.substr(end);
  const std::string_view path = rest.substr(0, rest.find('?'));
  const std::string_view query = rest.substr(path.size());
  const bool may_be_valid = has_user || authority.starts_with('[') || authority.contains(',') ||
                            std::ranges::all_of(authority.substr(authority.find(':') + 1), is_ascii_digit);
  if (!path.contains('@') && !query.substr(0, may_be_valid ? query.find('=') : query.size()).contains('@')) return {};
  return std::string("a ") + text[end] + " in the user or password must be written as " +
         (text[end] == '/' ? "%2F" : "%3F");
}

}  // namespace portail
