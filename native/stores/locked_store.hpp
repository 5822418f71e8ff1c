// Forwards to a store while its import lock is held; changes fail after the lock is lost. Same threads as the
// target.
#pragma once

#include "core/base/context.hpp"
#include "core/storage/guarded_store.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail {

class LockedStore final : public GuardedStore {
 public:
  // All three must outlive this. A null lock belongs to a store that no other process can access; it is never lost.
  LockedStore(KeyValueStore& target, const StoreScheme& scheme, const HeldImportLock& lock)
      : GuardedStore(target), scheme_(scheme), lock_(lock) {}

 private:
  Task<void> before_change(Context& context) override {
    if (!lock_ || !scheme_.holds_import_lock || scheme_.holds_import_lock(lock_)) co_return;
    context.log.warn("the lock of the import was lost, and another one may be running", "");
    co_await std::unexpected(Failure::unavailable);
  }

  const StoreScheme& scheme_;
  const HeldImportLock& lock_;
};

}  // namespace portail
