// The store that lives in memory and ends with the process: for trying the portal out, for tests, and for hosts that
// load their data at start. It has every trait of the port; durable means "until the process ends". All calls answer at
// once. Any thread; readers never wait for writers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "core/storage/mutex.hpp"
#include "core/storage/persistent_map.hpp"

namespace portail {

class MemoryStore final : public KeyValueStore {
 public:
  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  PersistentMap current();
  // Only under writing_.
  void publish(PersistentMap next);
  std::uint64_t next_priority();

  Mutex writing_;   // held by the one writer, from reading the current version to publishing the next
  Mutex swapping_;  // held for the instant in which current_ is copied or replaced
  PersistentMap current_;
  std::uint64_t random_state_ = 0;
};

}  // namespace portail
