#include "native/management/store_management.hpp"

#include <utility>

#include "native/management/file_spool.hpp"
#include "native/stores/locked_store.hpp"

namespace portail {
namespace {

class HeldLease final : public ImportLease {
 public:
  HeldLease(KeyValueStore& store, const StoreScheme& scheme, HeldImportLock lock)
      : lock_(std::move(lock)), store_(store, scheme, lock_) {}
  KeyValueStore& store() override { return store_; }
  Task<void> release(Context&) override {
    lock_.reset();
    co_return;
  }

 private:
  HeldImportLock lock_;
  LockedStore store_;
};

}  // namespace

std::unique_ptr<Spool> StoreManagement::new_spool() { return std::make_unique<FileSpool>(log_); }

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> StoreManagement::lock_import(Context&) {
  auto lock = acquire_import_lock(url_);
  if (!lock) co_return std::unexpected(lock.error());
  co_return std::make_unique<HeldLease>(store_, *url_.scheme, std::move(*lock));
}

}  // namespace portail
