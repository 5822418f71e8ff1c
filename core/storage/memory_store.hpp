// A store in memory, for trials and tests; the data is lost when the process ends. It has every trait of KeyValueStore.
// No call suspends. Any thread; readers never wait for writers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "core/storage/mutex.hpp"

namespace portail {

class MemoryStore final : public KeyValueStore {
 public:
  // An immutable state of the store. A write creates the next one, which shares the values; a trial has few keys.
  struct Snapshot {
    std::map<std::string, std::shared_ptr<const std::string>, std::less<>> values;
    std::uint64_t revision = 0;  // the number of writes that changed other than volatile keys
  };

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  std::shared_ptr<const Snapshot> current();
  // Applies the changes to the current snapshot. The caller must hold write_mutex_.
  void apply(std::span<const Change> changes);

  Mutex write_mutex_;    // held by a writer from reading the current snapshot until publishing the next one
  Mutex current_mutex_;  // held while current_ is copied or replaced
  std::shared_ptr<const Snapshot> current_ = std::make_shared<const Snapshot>();
};

}  // namespace portail
