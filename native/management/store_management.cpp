#include "native/management/store_management.hpp"

#include <utility>

#include "core/storage/guarded_store.hpp"
#include "native/management/file_spool.hpp"
#include "native/stores/locked_store.hpp"

namespace portail {
namespace {

// Cancels changes while the program ends.
class StoppableStore final : public GuardedStore {
 public:
  StoppableStore(KeyValueStore& target, const std::atomic<bool>& stopping)
      : GuardedStore(target), stopping_(stopping) {}

 private:
  Task<void> before_change(Context&) override {
    if (stopping_) co_await std::unexpected(Failure::cancelled);
  }

  const std::atomic<bool>& stopping_;
};

class HeldLease final : public ImportLease {
 public:
  HeldLease(KeyValueStore& store, const StoreScheme& scheme, HeldImportLock lock, const std::atomic<bool>& stopping)
      : lock_(std::move(lock)), locked_(store, scheme, lock_), store_(locked_, stopping) {}
  KeyValueStore& store() override { return store_; }
  Task<void> release(Context&) override {
    lock_.reset();
    co_return;
  }

 private:
  HeldImportLock lock_;
  LockedStore locked_;
  StoppableStore store_;
};

}  // namespace

std::unique_ptr<Spool> StoreManagement::new_spool() { return std::make_unique<FileSpool>(log_); }

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> StoreManagement::lock_import(Context&) {
  auto lock = acquire_import_lock(url_);
  if (!lock) co_return std::unexpected(lock.error());
  co_return std::make_unique<HeldLease>(store_, *url_.scheme, std::move(*lock), stopping_);
}

}  // namespace portail
