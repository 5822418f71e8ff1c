#include "native/management/import_lease.hpp"

#include <utility>

#include "core/management/stored_import_lock.hpp"
#include "core/storage/format.hpp"
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

}  // namespace

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

}  // namespace portail
