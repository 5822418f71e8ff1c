#include "native/settings/unknown_variables.hpp"

#include <string_view>

#include "core/setting_name.hpp"
#include "core/suggested_setting.hpp"

namespace portail {

std::vector<std::string> unknown_variables(const char* const* environment) {
  std::vector<std::string> lines;
  for (; *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("PORTAIL_") || find_variable(name)) continue;
    lines.push_back("unknown setting " + std::string(name) + ": this environment variable has no effect" +
                    suggested_variable(name));
  }
  return lines;
}

}  // namespace portail
