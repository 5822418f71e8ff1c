#include "edge/portal/portal.hpp"

#include <utility>

#include "core/webassembly/portal.hpp"
#include "edge/http/client.hpp"
#include "edge/portal/start_warnings.hpp"
#include "edge/portal/unavailable.hpp"

namespace portail::edge {

std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store, KeyRefresh refresh,
                                     StoreCache cache) {
  auto ignored = check_environment();
  if (!ignored) return make_unavailable(host, ignored.error());
  auto settings = read_settings(variables);
  if (!settings) return make_unavailable(host, settings.error());
  if (settings->fetch) settings->fetch->precedes_answer = refresh == KeyRefresh::before_answer;
  auto store = open_store(settings->store);
  if (!store) return make_unavailable(host, store.error());
  const bool is_plain_http = settings->settings.transport == Transport::loopback;
  auto portal = std::make_unique<Portal>(host.random, std::move(*settings), std::move(*store), http_client(),
                                         EmptyStorePolicy::refuse, cache);
  return std::make_unique<StartWarnings>(std::move(portal), std::move(*ignored), is_plain_http);
}

}  // namespace portail::edge
