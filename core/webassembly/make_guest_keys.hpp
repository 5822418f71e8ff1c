// Chooses the key source of a guest by its settings. One thread.
#pragma once

#include <memory>

#include "core/storage/key_value_store.hpp"
#include "core/webassembly/guest_keys.hpp"
#include "core/webassembly/http_client.hpp"
#include "core/webassembly/settings.hpp"

namespace portail {

// Moves the keys out of `settings`. `store` and `client` must outlive the result.
std::unique_ptr<GuestKeys> make_guest_keys(PortalSettings& settings, KeyValueStore& store, HttpClient& client);

}  // namespace portail
