// The environment of portail.service: the file of the Debian package's settings, for `portail check`. One thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

inline constexpr const char* service_environment_file = "/etc/portail/portail.env";

struct EnvironmentFile {
  std::vector<std::pair<std::string, std::string>> variables;  // in the order of the file
  std::vector<std::string> faults;                             // "line 3: …", without any text of the line
};

// Reads the text as systemd's EnvironmentFile= does (systemd.exec(5)), which ignores the lines with faults.
EnvironmentFile parse_environment_file(std::string_view text);

// Returns the settings of the service: those of native/systemd/portail.service, with the variables of the file `file`,
// which become variables of this process too: other libraries read some. A fault of the file is a fault.
std::expected<SettingValues, Fault> read_service_settings(const std::string& file);

}  // namespace portail
