// The folder that PORTAIL_STORE names: dir:FOLDER, a path inside the component. Default is /data. The host must have
// opened the folder for the component.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/storage/folder/folder_store.hpp"

namespace portail::edge {

// Returns the folder's path. The error is one line for the operator.
inline std::expected<std::string, std::string> parse_folder_setting(const std::string& setting) {
  constexpr std::string_view scheme = "dir:";
  if (setting.empty()) return "/data";
  if (!setting.starts_with(scheme) || setting.size() == scheme.size()) {
    return std::unexpected("PORTAIL_STORE must be dir:FOLDER, such as dir:/data, not " + setting);
  }
  return setting.substr(scheme.size());
}

}  // namespace portail::edge
