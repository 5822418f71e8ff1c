#include "native/settings/configuration_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace portail {

std::expected<void, Fault> apply_configuration_file(CLI::App& command, const std::string& file) {
  if (file.empty()) return {};
  std::ifstream input(file);
  if (!input) {
    return failure("cannot read the configuration " + file + ": " + std::strerror(errno) +
                   "; give --config a file that this user may read");
  }
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(input)) {
      // What CLI11 makes of a section's beginning and end.
      if (item.name == "++" || item.name == "--") continue;
      CLI::Option* option = item.parents.empty() ? command.get_option_no_throw("--" + item.name) : nullptr;
      if (!option || !option->get_configurable()) {
        return wrong_usage("the configuration " + file + " has an unknown setting " + item.fullname() +
                           "; `portail serve --help` lists them, without the dashes they are the file's names");
      }
      if (option->count() > 0) continue;
      option->add_result(item.inputs);
      option->run_callback();
    }
  } catch (const CLI::Error& error) {
    return wrong_usage("the configuration " + file + " cannot be used: " + error.what());
  }
  return {};
}

}  // namespace portail
