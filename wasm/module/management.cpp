#include <utility>

#include "core/webassembly/management_portal.hpp"
#include "wasm/module/portal_instance.hpp"

namespace portail::wasm {

std::expected<std::unique_ptr<Handler>, std::string> make_portal(RandomSource& random, Variables& variables,
                                                                 std::unique_ptr<KeyValueStore> store,
                                                                 HttpClient& client) {
  auto settings = read_settings(variables);
  if (!settings) return std::unexpected(std::move(settings.error()));
  auto management = read_management_variables(variables);
  if (!management) return std::unexpected(std::move(management.error()));
  return std::make_unique<ManagementPortal>(random, std::move(*settings), std::move(*management), std::move(store),
                                            client);
}

}  // namespace portail::wasm
