#include "core/guest/portal.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t remembered_tokens = 1024;
// Who asks whether this portal is well wants to know it soon, also where the store is away: an answer late is a no.
constexpr std::int64_t longest_probe_microseconds = 5'000'000;

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
  // Where the host has no deadlines (wasm/module), it gives requests up by itself.
  const bool has_deadline = context.deadline.microseconds != std::numeric_limits<std::int64_t>::max();
  if (has_deadline && request.target.starts_with("/health")) {
    context.deadline.microseconds =
        std::min(context.deadline.microseconds, context.clock.now().microseconds + longest_probe_microseconds);
  }
  co_await keys_.keep_current(context);
  co_return co_await service_.handle(context, request);
}

}  // namespace portail
