#include "native/management/store_management.hpp"

#include <utility>

#include "core/storage/forwarding_store.hpp"
#include "native/management/file_spool.hpp"
#include "native/management/import_lease.hpp"
#include "native/system/temporary_file.hpp"

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

class StoppableLease final : public ImportLease {
 public:
  StoppableLease(std::unique_ptr<ImportLease> lease, const std::atomic<bool>& stopping)
      : lease_(std::move(lease)), store_(lease_->store(), stopping) {}
  KeyValueStore& store() override { return store_; }
  Task<void> release(Context& context) override { return lease_->release(context); }

 private:
  std::unique_ptr<ImportLease> lease_;
  StoppableStore store_;
};

}  // namespace

std::unique_ptr<Spool> StoreManagement::new_spool() {
  return std::make_unique<FileSpool>(temporary_folder(url_.folder()), log_);
}

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> StoreManagement::lock_import(Context& context,
                                                                                            const Author& author) {
  auto lease = co_await acquire_import_lease(context, url_, store_, author);
  if (!lease) co_return std::unexpected(std::move(lease.error()));
  co_return std::make_unique<StoppableLease>(std::move(*lease), stopping_);
}

}  // namespace portail
