// The portal as a component's handler: settings, keys, a store, and the core's service; or its management interface. A
// component is linked with portail_edge_portal or portail_edge_management, each of which defines make_portal().
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "core/storage/format.hpp"
#include "core/webassembly/portal.hpp"
#include "core/webassembly/settings.hpp"
#include "edge/http/make_handler.hpp"

namespace portail::edge {

// Opens the store of a component. `setting` is PORTAIL_STORE, or empty. The error is one line for the operator.
using OpenStore = std::expected<std::unique_ptr<KeyValueStore>, std::string> (*)(const std::string& setting);

// When a key set that is due is fetched: after an answer, or before one, if the host ends instances with their answers.
enum class KeyRefresh : std::uint8_t { after_answer, before_answer };

// Creates the handler. Never fails: if the settings are invalid or the store cannot be opened, the reason is logged,
// and every answer is 503 until the host creates a new instance. Requests fail until the store is filled, except those
// of the management interface, which also ignores `cache`, that of Portal.
std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store,
                                     KeyRefresh refresh = KeyRefresh::after_answer, StoreCache cache = nullptr);

}  // namespace portail::edge
