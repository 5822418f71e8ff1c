// The portal over a folder that the host has opened for it, `wasmtime serve --dir FOLDER::/data`. Cached
// values are validated by an asynchronous stat of WASI 0.3.
#include <utility>

#include "edge/components/open_folder.hpp"
#include "edge/portal/portal.hpp"
#include "edge/settings/environment.hpp"
#include "edge/stores/folder/asynchronous_revision.hpp"

namespace portail::edge {
namespace {

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_folder(const std::string& setting) {
  const auto path = parse_folder_setting(setting);
  if (!path) return std::unexpected(path.error());
  return FolderStore::open(*path, {}, std::make_unique<AsynchronousRevision>(*path));
}

}  // namespace

std::unique_ptr<Handler> make_handler(const Host& host) {
  Environment settings;
  return make_portal(host, settings, open_folder);
}

}  // namespace portail::edge
