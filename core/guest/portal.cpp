#include "core/guest/portal.hpp"

#include <utility>

namespace portail {
namespace {

constexpr std::size_t remembered_tokens = 1024;

Hash32 random_key(RandomSource& random) {
  Hash32 key;
  random.fill(key);
  return key;
}

}  // namespace

Portal::Portal(RandomSource& random, PortalSettings settings, std::unique_ptr<KeyValueStore> store, EmptyStore empty)
    : store_(std::move(store)),
      keys_(std::move(settings.keys), *store_),
      token_cache_(random_key(random), remembered_tokens),
      checked_store_(*store_, empty),
      service_(std::move(settings.settings), keys_, checked_store_) {}

Task<Response> Portal::handle(Context& context, const Request& request) {
  context.token_cache = &token_cache_;
  context.answers = &answers_;
  co_await keys_.keep_current(context);
  co_return co_await service_.handle(context, request);
}

}  // namespace portail
