// Stores that forward to another one while a condition holds: that a lock is held, that the layout is known.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/stores/store_scheme.hpp"
#include "native/system/log.hpp"

namespace portail {

// Forwards to a store while its import lock is held; changes fail after the lock is lost. Same threads as the
// target.

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

// A store that is served only while this program can read its layout. Each session reads `format` with its first batch,
// or with each one if the store has no snapshots, so a store that was migrated to a newer layout or emptied meanwhile
// is refused: none of its values is misread, and no client gets an empty list for lost data. A request that writes must
// read first. Any thread.

class FormatRevalidatingStore final : public ForwardingStore {
 public:
  // `has_portal`: the store is not empty.
  FormatRevalidatingStore(KeyValueStore& target, bool has_portal) : ForwardingStore(target), had_portal_(has_portal) {}

  Task<std::unique_ptr<Session>> open(Context& context) override;

  // Returns whether the store had a portal when it was opened or read since. If so, it is refused while it is empty.
  [[nodiscard]] bool had_portal() const { return had_portal_; }

  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  // Returns whether the last write succeeded; true before the first one.
  [[nodiscard]] bool accepts_writes() const { return accepts_writes_; }
  void set_accepts_writes(bool accepts) { accepts_writes_ = accepts; }  // by a trial write

  // For the sessions: returns whether a store in that state may be served. Logs a refusal or a later minor version, at
  // most once a minute.
  bool accepts(Context& context, FormatState found);

 private:
  std::atomic<bool> had_portal_;
  std::atomic<bool> accepts_writes_ = true;
  std::mutex log_mutex_;
  CauseThrottle log_throttle_;
};

}  // namespace portail
