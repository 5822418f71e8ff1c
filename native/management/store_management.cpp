#include "native/management/store_management.hpp"

#include <utility>

#include "core/management/stored_import_lock.hpp"
#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/stores/format_revalidating_store.hpp"

namespace portail {
namespace {

class ProgramLease final : public ImportLease {
 public:
  ProgramLease(KeyValueStore& store, const StoreScheme& scheme, HeldImportLock lock)
      : lock_(std::move(lock)), locked_(store, scheme, lock_) {}

  Task<std::expected<void, std::string>> acquire_stored(Context& context, const Author& author) {
    auto acquired = co_await acquire_stored_lock(context, locked_, author, ImportHolder::program);
    if (!acquired) co_return std::unexpected(std::move(acquired.error()));
    stored_ = std::move(*acquired);
    co_return {};
  }

  KeyValueStore& store() override { return stored_ ? stored_->store() : locked_; }
  Task<void> release(Context& context) override {
    if (stored_) co_await stored_->release(context);
    lock_.reset();
  }

 private:
  HeldImportLock lock_;
  LockedStore locked_;
  std::unique_ptr<ImportLease> stored_;
};

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

Result<void> FileSpool::append(std::string_view bytes) {
  if (!file_) {
    auto created = TemporaryFile::create(folder_);
    if (!created) return failed(created.error());
    file_ = std::move(*created);
  }
  if (const auto added = file_->append(bytes); !added) return failed(added.error());
  return {};
}

Result<void> FileSpool::rewind() {
  if (!file_) return {};
  if (const auto rewound = file_->rewind(); !rewound) return failed(rewound.error());
  return {};
}

Result<std::optional<std::string_view>> FileSpool::next() {
  if (!file_) return std::nullopt;
  const auto bytes = file_->next();
  if (!bytes) return failed(bytes.error());
  if (bytes->empty()) return std::nullopt;
  return *bytes;
}

std::unexpected<Failure> FileSpool::failed(const std::string& reason) const {
  log_.warn("the temporary file of a management request cannot be used", reason);
  return std::unexpected(Failure::unavailable);
}

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_import_lease(Context& context,
                                                                                    const StoreUrl& url,
                                                                                    KeyValueStore& store,
                                                                                    const Author& author) {
  auto lock = acquire_import_lock(url);
  if (!lock) co_return std::unexpected(std::move(lock.error()));
  auto lease = std::make_unique<ProgramLease>(store, *url.scheme, std::move(*lock));
  // The import is refused if the store has another layout, which must not be written.
  const bool is_writable = url.scheme->has_guests && accepts_imports(co_await read_format(context, store));
  if (is_writable) {
    auto acquired = co_await lease->acquire_stored(context, author);
    if (!acquired) co_return std::unexpected(std::move(acquired.error()));
  }
  co_return lease;
}

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
