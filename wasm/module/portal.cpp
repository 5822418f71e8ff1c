#include "core/webassembly/portal.hpp"

#include <utility>

#include "wasm/module/portal_instance.hpp"

namespace portail::wasm {

std::expected<std::unique_ptr<Handler>, std::string> make_portal(RandomSource& random, Variables& variables,
                                                                 std::unique_ptr<KeyValueStore> store,
                                                                 HttpClient& client) {
  auto settings = read_settings(variables);
  if (!settings) return std::unexpected(std::move(settings.error()));
  return std::make_unique<Portal>(random, std::move(*settings), std::move(store), client);
}

}  // namespace portail::wasm
