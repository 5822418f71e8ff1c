// The portal over a folder that the host has opened for it: `wasmtime serve --dir FOLDER::/data`.
#include <string>

#include "core/files/folder_store.hpp"
#include "edge/portal/portal.hpp"
#include "edge/settings/environment.hpp"

namespace portail::edge {
namespace {

constexpr std::string_view scheme = "dir:";

// PORTAIL_STORE is dir:FOLDER, the folder as the component sees it; left out, /data.
std::expected<std::unique_ptr<KeyValueStore>, std::string> open_folder(const std::string& setting) {
  if (setting.empty()) return FolderStore::open("/data", {});
  if (!setting.starts_with(scheme) || setting.size() == scheme.size()) {
    return std::unexpected("PORTAIL_STORE is dir:FOLDER, such as dir:/data, not " + setting);
  }
  return FolderStore::open(setting.substr(scheme.size()), {});
}

}  // namespace

std::unique_ptr<Handler> make_handler(const Host& host) {
  Environment settings;
  return make_portal(host, settings, open_folder, EmptyStore::refused);
}

}  // namespace portail::edge
