// Forwards to a store while its import lock is held; changes fail after the lock is lost. Same threads as the
// target.
#pragma once

#include <span>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail {

class LockedStore final : public ForwardingStore {
 public:
  // All three must outlive this. A null lock belongs to a store that no other process can access; it is never lost.
  LockedStore(KeyValueStore& target, const StoreScheme& scheme, const HeldImportLock& lock)
      : ForwardingStore(target), scheme_(scheme), lock_(lock) {}

  Task<void> write(Context& context, std::span<const Change> changes) override {
    co_await check_lock(context);
    co_await ForwardingStore::write(context, changes);
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    co_await check_lock(context);
    co_return co_await ForwardingStore::compare_and_swap(context, key, expected, desired);
  }

 private:
  Result<void> check_lock(Context& context) const {
    if (!lock_ || !scheme_.holds_import_lock || scheme_.holds_import_lock(lock_)) return {};
    context.log.warn("the lock of the import was lost, and another one may be running", "");
    return std::unexpected(Failure::unavailable);
  }

  const StoreScheme& scheme_;
  const HeldImportLock& lock_;
};

}  // namespace portail
