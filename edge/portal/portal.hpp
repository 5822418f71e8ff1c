// The portal as a component's handler: settings, keys, a store, and the core's service over them.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/guest/settings.hpp"
#include "core/storage/checked_store.hpp"
#include "edge/http/make_handler.hpp"

namespace portail::edge {

// Opens the store of this build; `setting` is PORTAIL_STORE, or empty. The error is one line for the operator.
using OpenStore = std::expected<std::unique_ptr<KeyValueStore>, std::string> (*)(const std::string& setting);

// Never fails: where the settings make no sense or the store cannot be opened, the log says why, and every answer is
// 503 until the host makes a new instance. A store that holds nothing, where it is refused, is so until it is filled.
std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store,
                                     EmptyStore empty = EmptyStore::opened);

}  // namespace portail::edge
