#include "core/webassembly/make_guest_keys.hpp"

#include <utility>

#include "core/webassembly/fetched_keys.hpp"
#include "core/webassembly/guest_keys.hpp"

namespace portail {

std::unique_ptr<GuestKeys> make_guest_keys(PortalSettings& settings, KeyValueStore& store, HttpClient& client) {
  if (settings.fetch) return std::make_unique<FetchedKeys>(std::move(*settings.fetch), store, client);
  return std::make_unique<StoredKeys>(std::move(settings.keys), store);
}

}  // namespace portail
