#include "edge/config/config_variable.hpp"

#include <algorithm>
#include <string>

#include "core/base/text.hpp"
#include "edge/config/config_store.hpp"

namespace portail::edge {

FoundVariable config_variable(const char* name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), to_lower_ascii);
  auto configured = read_config(lower);
  if (!configured) {
    return std::unexpected(lower.append(" cannot be read from the host's configuration: ").append(configured.error()));
  }
  if (*configured && !(*configured)->empty()) return configured;
  return environment_variable(name);
}

}  // namespace portail::edge
