#include "edge/portal/portal.hpp"

#include <cstdint>
#include <utility>

#include "core/guest/portal.hpp"
#include "edge/http/client.hpp"
#include "edge/portal/unavailable.hpp"

namespace portail::edge {
namespace {

// Logs once, at the second request, that requests are answered without TLS. A host that creates an instance for each
// request would otherwise log a line for each.
class PlainHttpWarning final : public Handler {
 public:
  explicit PlainHttpWarning(std::unique_ptr<Handler> portal) : portal_(std::move(portal)) {}

  Task<Response> handle(Context& context, const Request& request) override {
    if (++requests_ == 2) {
      context.log.warn("transport loopback",
                       "requests are answered without TLS: this host must listen on loopback only");
    }
    return portal_->handle(context, request);
  }
  void after_answer(Context& context) override { portal_->after_answer(context); }

 private:
  std::unique_ptr<Handler> portal_;
  std::uint64_t requests_ = 0;
};

}  // namespace

std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store, KeyRefresh refresh,
                                     StoreCache cache) {
  auto settings = read_settings(variables);
  if (!settings) return make_unavailable(host, settings.error());
  if (settings->fetch) settings->fetch->precedes_answer = refresh == KeyRefresh::before_answer;
  auto store = open_store(settings->store);
  if (!store) return make_unavailable(host, store.error());
  const bool is_plain_http = settings->settings.transport == Transport::loopback;
  auto portal = std::make_unique<Portal>(host.random, std::move(*settings), std::move(*store), http_client(),
                                         EmptyStorePolicy::refuse, cache);
  if (is_plain_http) return std::make_unique<PlainHttpWarning>(std::move(portal));
  return portal;
}

}  // namespace portail::edge
