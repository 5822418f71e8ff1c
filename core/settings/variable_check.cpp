#include "core/settings/variable_check.hpp"

#include <algorithm>

#include "core/base/nearest_name.hpp"

namespace portail {
namespace {

constexpr std::string_view prefix = "PORTAIL_";

bool is_address(std::string_view value) {
  return value.starts_with("tcp://") || value.starts_with("udp://") || value.starts_with("sctp://");
}

// PORTAIL_PORT_8443_TCP, and the same with _PROTO, _PORT or _ADDR.
bool has_numbered_port(std::string_view name) {
  constexpr std::string_view port = "_PORT_";
  const std::size_t found = name.rfind(port);
  if (found == std::string_view::npos || found + port.size() == name.size()) return false;
  const char first = name[found + port.size()];
  return first >= '0' && first <= '9';
}

// Kubernetes adds links for each service, of which one named portail or portail-api has the prefix of the settings.
// Docker's links of containers have the same names, and …_NAME and …_ENV_….
bool is_link(std::string_view name, std::string_view value) {
  return name.ends_with("_SERVICE_HOST") || name.ends_with("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") ||
         has_numbered_port(name) || (name.ends_with("_PORT") && is_address(value)) ||
         (name.ends_with("_NAME") && value.starts_with('/')) || name.contains("_ENV_");
}

// Without the prefix, which all names share and which would allow more typos.
std::string_view own_part(std::string_view name) { return name.substr(std::min(prefix.size(), name.size())); }

// Returns "; did you mean PORTAIL_STORE?", or an empty text.
std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  NearestName nearest(own_part(name));
  for (const std::string_view each : known) nearest.add(own_part(each));
  if (nearest.found().empty()) return {};
  return std::string("; did you mean ").append(prefix).append(nearest.found()).append("?");
}

}  // namespace

std::expected<void, std::string> VariableCheck::check(std::string_view name, std::string_view value) {
  if (std::ranges::contains(known_, name)) return {};
  if (!is_link(name, value)) {
    return std::unexpected("unknown setting " + std::string(name) + suggestion(name, known_));
  }
  ignored_.append(ignored_.empty() ? "" : ", ").append(name);
  return {};
}

std::expected<void, std::string> VariableCheck::check_environment(const char* const* environment) {
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with(prefix)) continue;
    const std::string_view name = entry.substr(0, entry.find('='));
    const std::string_view value = entry.substr(std::min(name.size() + 1, entry.size()));
    if (auto checked = check(name, value); !checked) return checked;
  }
  return {};
}

}  // namespace portail
