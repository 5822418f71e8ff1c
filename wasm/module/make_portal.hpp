// What a portal of the module is: the public interface, or the management interface. A module is linked with
// portail_module_portal or portail_module_management, each of which defines make_portal().
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/http/handler.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/webassembly/http_client.hpp"
#include "core/webassembly/settings.hpp"

namespace portail::wasm {

// Creates the handler of requests. `random` is not used afterwards; `client` must outlive the result. The error is one
// line for the operator.
std::expected<std::unique_ptr<Handler>, std::string> make_portal(RandomSource& random, Variables& variables,
                                                                 std::unique_ptr<KeyValueStore> store,
                                                                 HttpClient& client);

}  // namespace portail::wasm
