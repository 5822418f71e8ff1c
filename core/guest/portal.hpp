// The portal as a guest of another program, its host: keys, a token cache and the core's service over one store. One
// thread; many requests may be under way at the same time.
#pragma once

#include <memory>

#include "core/api/answer_memory.hpp"
#include "core/auth/token_cache.hpp"
#include "core/guest/settings.hpp"
#include "core/guest/stored_keys.hpp"
#include "core/http/handler.hpp"
#include "core/service.hpp"
#include "core/storage/checked_store.hpp"

namespace portail {

class Portal final : public Handler {
 public:
  // `random` makes what is needed once; PortalSettings::store is not looked at.
  Portal(RandomSource& random, PortalSettings settings, std::unique_ptr<KeyValueStore> store,
         EmptyStore empty = EmptyStore::opened);

  // As Service::handle; sets the context's token cache and its answers, and has a nearer deadline for /health. The
  // portal outlives the Task, and the Response's body.
  Task<Response> handle(Context& context, const Request& request) override;

 private:
  std::unique_ptr<KeyValueStore> store_;
  StoredKeys keys_;
  BoundedTokenCache token_cache_;
  BoundedAnswerMemory answers_;
  CheckedStore checked_store_;
  Service service_;
};

}  // namespace portail
