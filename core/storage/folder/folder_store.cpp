#include "core/storage/folder/folder_store.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/folder_writer.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/folder/value_reader.hpp"
#include "core/storage/key.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

constexpr std::int64_t cleanup_interval_seconds = 60;

std::unexpected<Failure> failed(Context& context, std::string_view event, const FolderFault& fault) {
  context.log.warn(event, fault.reason);
  return std::unexpected(fault.failure);
}

class FolderSession final : public Session {
 public:
  FolderSession(FolderStore& store, const std::optional<StoreRevision>& revision)
      : store_(store), revision_(revision), cached_(store.cache(), revision) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (const auto cached = cached_.find(keys[i])) {
        values[i] = *cached;
      } else {
        const auto value = read(keys[i]);
        if (!value) co_await failed(context, "store: a read failed", value.error());
        values[i] = *value;
        cached_.insert(keys[i], *value);
      }
      if (values[i]) copied_bytes_ += values[i]->size();
    }
  }
  [[nodiscard]] std::optional<StoreRevision> revision() const override { return revision_; }
  [[nodiscard]] std::size_t copied_bytes() const override { return copied_bytes_; }

 private:
  std::expected<Value, FolderFault> read(std::string_view key) {
    const auto name = FileName::of_key(key);
    return name ? files_.read(store_.folder(), *name) : Value();
  }

  FolderStore& store_;
  const std::optional<StoreRevision> revision_;
  CachedValues cached_;
  ValueReader files_;
  std::size_t copied_bytes_ = 0;
};

}  // namespace

KeyValueStore::Traits FolderStore::traits() const {
  return {.snapshots = false, .compare_and_swap = true, .atomic_batches = false};
}

Task<std::unique_ptr<Session>> FolderStore::open(Context& context) {
  // Without a revision each value is read, which reports the fault.
  const auto found =
      revisions_ ? co_await revisions_->read(context) : stat_revision(folder_.number()).value_or(std::nullopt);
  std::optional<StoreRevision> revision;
  if (found && !is_unfinished(*found)) {
    revision = StoreRevision{
        {found->size, static_cast<std::uint64_t>(found->modified), static_cast<std::uint64_t>(found->changed)}};
    cache_.set_revision(*revision);
  }
  co_return std::make_unique<FolderSession>(*this, revision);
}

Task<void> FolderStore::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  if (auto done = apply(context, changes); !done) {
    co_await failed(context, "store: a write failed", done.error());
  }
}

Task<bool> FolderStore::compare_and_swap(Context& context, std::string_view key, Value expected,
                                         std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  const auto done = swap(context, change, expected);
  if (!done) co_return failed(context, "store: a write failed", done.error());
  co_return *done;
}

Task<void> FolderStore::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  std::vector<std::string> keys;
  const auto listed = list_folder(folder_.number(), ".", [&keys, prefix](std::string_view name) {
    const auto key = key_of_file(name);
    if (key && key->starts_with(prefix)) keys.emplace_back(*key);
    return true;
  });
  if (!listed) co_await failed(context, "store: a scan failed", system_fault(listed.error()).error());
  std::ranges::sort(keys);
  for (const std::string& key : keys) {
    ValueReader files;
    const auto value = files.read(folder_.number(), *FileName::of_key(key));
    if (!value) co_await failed(context, "store: a scan failed", value.error());
    // A listed key may have been removed since.
    if (*value && !visitor.visit(key, **value)) co_return;
  }
}

std::expected<void, FolderFault> FolderStore::apply(Context& context, std::span<const Change> changes) {
  if (auto writable = check_writable(changes); !writable || changes.empty()) return writable;
  {
    FolderWriter writer(folder_.number());
    if (auto staged = writer.stage(changes); !staged) return staged;
    if (auto acquired = writer.acquire_lease(context, options_.lease_timeout); !acquired) return acquired;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      auto applied = writer.apply(i, changes[i]);
      if (applied) continue;
      if (i > 0) applied.error().reason += " (some of its changes were made)";
      return applied;
    }
    writer.release_lease();
    if (auto synced = writer.sync_names(changes); !synced) return synced;
  }
  clean_up_if_due();
  return {};
}

std::expected<bool, FolderFault> FolderStore::swap(Context& context, const Change& change, Value expected) {
  if (auto writable = check_writable(std::span(&change, 1)); !writable) return std::unexpected(writable.error());
  // Most swaps that fail do so here, before they wait for the lease.
  if (auto equal = value_equals(change.key, expected); !equal || !*equal) return equal;
  {
    FolderWriter writer(folder_.number());
    if (auto staged = writer.stage(std::span(&change, 1)); !staged) return std::unexpected(staged.error());
    if (auto acquired = writer.acquire_lease(context, options_.lease_timeout); !acquired)
      return std::unexpected(acquired.error());
    if (auto equal = value_equals(change.key, expected); !equal || !*equal) return equal;
    if (auto applied = writer.apply(0, change); !applied) return std::unexpected(applied.error());
    writer.release_lease();
    if (auto synced = writer.sync_names(std::span(&change, 1)); !synced) return std::unexpected(synced.error());
  }
  clean_up_if_due();
  return true;
}

std::expected<bool, FolderFault> FolderStore::value_equals(std::string_view key, Value expected) {
  ValueReader files;
  const auto value = files.read(folder_.number(), *FileName::of_key(key));
  if (!value) return std::unexpected(value.error());
  return *value == expected;
}

std::expected<void, FolderFault> FolderStore::check_writable(std::span<const Change> changes) const {
  if (options_.read_only) return std::unexpected(FolderFault{Failure::unavailable, "it was opened to be read"});
  if (std::ranges::all_of(changes, [](const Change& change) { return FileName::of_key(change.key).has_value(); })) {
    return {};
  }
  return std::unexpected(FolderFault{Failure::too_large, "a key is outside the limits"});
}

void FolderStore::clean_up_if_due() {
  using std::chrono::steady_clock;
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now().time_since_epoch()).count();
  const std::int64_t before = last_cleanup_.load(std::memory_order_relaxed);
  if (before == 0 || now - before >= cleanup_interval_seconds) {
    last_cleanup_.store(now, std::memory_order_relaxed);
    remove_stale_files(folder_.number());
  }
}

}  // namespace portail
