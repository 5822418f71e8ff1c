#include "edge/portal/portal.hpp"

#include <utility>

#include "core/auth/token_cache.hpp"
#include "core/http/problem.hpp"
#include "core/service.hpp"
#include "core/storage/checked_store.hpp"
#include "edge/portal/stored_keys.hpp"
#include "edge/portal/unavailable.hpp"

namespace portail::edge {
namespace {

constexpr std::size_t remembered_tokens = 1024;

Hash32 random_key(RandomSource& random) {
  Hash32 key;
  random.fill(key);
  return key;
}

class Portal final : public Handler {
 public:
  Portal(const Host& host, PortalSettings settings, std::unique_ptr<KeyValueStore> store)
      : store_(std::move(store)),
        keys_(std::move(settings.jwks), *store_),
        token_cache_(random_key(host.random), remembered_tokens),
        checked_store_(*store_),
        service_(std::move(settings.settings), keys_, checked_store_) {}

  Task<Response> handle(Context& context, const Request& request) override {
    context.token_cache = &token_cache_;
    co_await keys_.keep_current(context);
    co_return co_await service_.handle(context, request);
  }

 private:
  std::unique_ptr<KeyValueStore> store_;
  StoredKeys keys_;
  BoundedTokenCache token_cache_;
  CheckedStore checked_store_;
  Service service_;
};

}  // namespace

std::unique_ptr<Handler> make_portal(const Host& host, Variable variable, OpenStore open_store) {
  auto settings = read_settings(variable);
  if (!settings) return make_unavailable(host, settings.error());
  auto store = open_store(settings->store);
  if (!store) return make_unavailable(host, store.error());
  if (settings->settings.transport == Transport::loopback) {
    host.log.warn("transport loopback", "requests are answered in clear: this host must listen on loopback only");
  }
  return std::make_unique<Portal>(host, std::move(*settings), std::move(*store));
}

}  // namespace portail::edge
