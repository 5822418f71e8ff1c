#include "core/webassembly/portal.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/crypto/random_key.hpp"
#include "core/http/target.hpp"
#include "core/webassembly/access_line.hpp"
#include "core/webassembly/make_guest_keys.hpp"

namespace portail {
namespace {

constexpr std::size_t token_cache_capacity = 1024;
// Health probes need a prompt answer, also if the store is unavailable: a late answer counts as a failure.
constexpr std::int64_t probe_timeout_microseconds = 5'000'000;

}  // namespace

Portal::Portal(RandomSource& random, PortalSettings settings, std::unique_ptr<KeyValueStore> store, HttpClient& client,
               EmptyStorePolicy empty_policy, StoreCache cache)
    : store_(std::move(store)),
      log_key_(log_key_or_random(std::move(settings.log_key), random)),
      keys_(make_guest_keys(settings, *store_, client)),
      token_cache_(random_key(random), token_cache_capacity),
      cached_store_(cache ? cache(*store_) : nullptr),
      checked_store_(cached_store_ ? *cached_store_ : *store_, empty_policy),
      service_(std::move(settings.settings), *keys_, checked_store_) {}

Task<Response> Portal::handle(Context& context, const Request& request) {
  context.token_cache = &token_cache_;
  context.answer_cache = &answer_cache_;
  // A host without deadlines (wasm/module) cancels requests itself.
  const bool has_deadline = context.deadline.microseconds != std::numeric_limits<std::int64_t>::max();
  if (has_deadline && raw_path(request.target).starts_with("/health")) {
    context.deadline.microseconds =
        std::min(context.deadline.microseconds, context.clock.now().microseconds + probe_timeout_microseconds);
  }
  if (request.draining && !std::exchange(is_draining_, true)) {
    context.log.warn("stopping", "/health/ready is 503: the host is shutting down");
  }
  co_await keys_->prepare(context, find_header(request, "Authorization").has_value());
  Response response = co_await service_.handle(context, request);
  record_access(context.log, request, response, log_key_);
  co_return response;
}

}  // namespace portail
