#include "core/storage/memory_store.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/storage/key.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

Value find(const MemoryStore::Snapshot& snapshot, std::string_view key) {
  const auto entry = snapshot.values.find(key);
  return entry == snapshot.values.end() ? Value() : Value(*entry->second);
}

class MemorySession final : public Session {
 public:
  explicit MemorySession(std::shared_ptr<const MemoryStore::Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  Task<void> get(Context&, std::span<const std::string_view> keys, std::span<Value> values) override {
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = find(*snapshot_, keys[i]);
    co_return;
  }
  [[nodiscard]] std::optional<StoreRevision> revision() const override { return StoreRevision{{snapshot_->revision}}; }

 private:
  std::shared_ptr<const MemoryStore::Snapshot> snapshot_;
};

}  // namespace

KeyValueStore::Traits MemoryStore::traits() const {
  return {.snapshots = true, .compare_and_swap = true, .atomic_batches = true};
}

std::shared_ptr<const MemoryStore::Snapshot> MemoryStore::current() {
  Lock lock(current_mutex_);
  return current_;
}

void MemoryStore::apply(std::span<const Change> changes) {
  auto next = std::make_shared<Snapshot>(*current());
  for (const Change& change : changes) {
    if (change.value) {
      next->values.insert_or_assign(std::string(change.key), std::make_shared<const std::string>(*change.value));
    } else if (const auto entry = next->values.find(change.key); entry != next->values.end()) {
      next->values.erase(entry);
    }
  }
  const auto is_volatile = [](const Change& change) { return is_volatile_key(change.key); };
  if (!std::ranges::all_of(changes, is_volatile)) ++next->revision;
  std::shared_ptr<const Snapshot> previous = std::move(next);
  Lock lock(current_mutex_);
  std::swap(current_, previous);  // the previous snapshot is destroyed outside the lock
}

Task<std::unique_ptr<Session>> MemoryStore::open(Context&) { co_return std::make_unique<MemorySession>(current()); }

Task<void> MemoryStore::write(Context&, std::span<const Change> changes) {
  co_await check_limits(changes);
  Lock lock(write_mutex_);
  apply(changes);
}

Task<bool> MemoryStore::compare_and_swap(Context&, std::string_view key, Value expected, std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  Lock lock(write_mutex_);
  if (find(*current(), key) != expected) co_return false;
  apply(std::span(&change, 1));
  co_return true;
}

Task<void> MemoryStore::scan(Context&, std::string_view prefix, Visitor& visitor) {
  const auto snapshot = current();
  for (auto entry = snapshot->values.lower_bound(prefix); entry != snapshot->values.end(); ++entry) {
    if (!entry->first.starts_with(prefix) || !visitor.visit(entry->first, *entry->second)) co_return;
  }
}

}  // namespace portail
