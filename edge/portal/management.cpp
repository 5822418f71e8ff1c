#include <utility>

#include "core/webassembly/management_portal.hpp"
#include "edge/http/client.hpp"
#include "edge/portal/portal.hpp"
#include "edge/portal/start_warnings.hpp"
#include "edge/portal/unavailable.hpp"

namespace portail::edge {

std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store, KeyRefresh refresh,
                                     StoreCache) {
  auto ignored = check_environment();
  if (!ignored) return make_unavailable(host, ignored.error());
  auto settings = read_settings(variables);
  if (!settings) return make_unavailable(host, settings.error());
  auto management = read_management_variables(variables);
  if (!management) return make_unavailable(host, management.error());
  if (settings->fetch) settings->fetch->precedes_answer = refresh == KeyRefresh::before_answer;
  auto store = open_store(settings->store);
  if (!store) return make_unavailable(host, store.error());
  auto portal = std::make_unique<ManagementPortal>(host.random, std::move(*settings), std::move(*management),
                                                   std::move(*store), http_client());
  return std::make_unique<StartWarnings>(std::move(portal), std::move(*ignored), false);
}

}  // namespace portail::edge
