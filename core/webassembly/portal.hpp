// The portal in a WebAssembly host: keys, caches and the core's service with one store. One thread; many requests may
// be in flight.
#pragma once

#include <memory>
#include <string>

#include "core/api/answer_cache.hpp"
#include "core/api/service.hpp"
#include "core/auth/token_cache.hpp"
#include "core/http/response.hpp"
#include "core/storage/format.hpp"
#include "core/webassembly/guest_keys.hpp"
#include "core/webassembly/http_client.hpp"
#include "core/webassembly/settings.hpp"

namespace portail {

// Returns a store that caches values of `target`, which outlives it.
using StoreCache = std::unique_ptr<KeyValueStore> (*)(KeyValueStore& target);

class Portal final : public Handler {
 public:
  // `random` is not used after the constructor. PortalSettings::store is ignored. `client` must outlive this. `cache`
  // wraps the store for requests; null: they use the store itself.
  Portal(RandomSource& random, PortalSettings settings, std::unique_ptr<KeyValueStore> store, HttpClient& client,
         EmptyStorePolicy empty_policy = EmptyStorePolicy::accept, StoreCache cache = nullptr);

  // Like Service::handle. Sets the context's caches, and a nearer deadline for /health, and writes the access line. The
  // portal must outlive the Task and the Response's body.
  Task<Response> handle(Context& context, const Request& request) override;
  void after_answer(Context& context) override { keys_->after_answer(context); }

 private:
  std::unique_ptr<KeyValueStore> store_;
  std::string log_key_;  // of the pseudonyms
  std::unique_ptr<GuestKeys> keys_;
  BoundedTokenCache token_cache_;
  BoundedAnswerCache answer_cache_;
  std::unique_ptr<KeyValueStore> cached_store_;  // null: none
  FormatCheckingStore checked_store_;
  Service service_;
  bool is_draining_ = false;  // which was logged
};

}  // namespace portail
