#include "core/storage/memory_store.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "core/storage/limits.hpp"

namespace portail {
namespace {

class MemorySession final : public Session {
 public:
  explicit MemorySession(PersistentMap snapshot) : snapshot_(std::move(snapshot)) {}

  Task<void> get(Context&, std::span<const std::string_view> keys, std::span<Value> values) override {
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = snapshot_.find(keys[i]);
    co_return;
  }

 private:
  PersistentMap snapshot_;
};

}  // namespace

KeyValueStore::Traits MemoryStore::traits() const {
  return {.snapshots = true, .compare_and_swap = true, .atomic_batches = true};
}

PersistentMap MemoryStore::current() {
  Lock lock(swapping_);
  return current_;
}

void MemoryStore::publish(PersistentMap next) {
  Lock lock(swapping_);
  std::swap(current_, next);  // the old version goes with the parameter, after the lock
}

// splitmix64: any sequence without a pattern will do.
std::uint64_t MemoryStore::next_priority() {
  std::uint64_t mixed = random_state_ += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

Task<std::unique_ptr<Session>> MemoryStore::open(Context&) { co_return std::make_unique<MemorySession>(current()); }

Task<void> MemoryStore::write(Context&, std::span<const Change> changes) {
  co_await check_limits(changes);
  Lock lock(writing_);
  PersistentMap next = current();
  for (const Change& change : changes) {
    next = change.value ? next.with(change.key, *change.value, next_priority()) : next.without(change.key);
  }
  publish(std::move(next));
}

Task<bool> MemoryStore::compare_and_swap(Context&, std::string_view key, Value expected, std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  Lock lock(writing_);
  PersistentMap version = current();
  if (version.find(key) != expected) co_return false;
  publish(version.with(key, desired, next_priority()));
  co_return true;
}

Task<void> MemoryStore::scan(Context&, std::string_view prefix, Visitor& visitor) {
  current().scan(prefix, visitor);
  co_return;
}

}  // namespace portail
