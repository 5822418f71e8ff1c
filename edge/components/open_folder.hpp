// The store in a folder that the host has opened for the component, by PORTAIL_STORE: dir:FOLDER, the folder as the
// component sees it; left out, /data.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/files/folder_store.hpp"

namespace portail::edge {

// The folder's path; the error is one line for the operator.
inline std::expected<std::string, std::string> path_of_folder(const std::string& setting) {
  constexpr std::string_view scheme = "dir:";
  if (setting.empty()) return "/data";
  if (!setting.starts_with(scheme) || setting.size() == scheme.size()) {
    return std::unexpected("PORTAIL_STORE is dir:FOLDER, such as dir:/data, not " + setting);
  }
  return setting.substr(scheme.size());
}

}  // namespace portail::edge
