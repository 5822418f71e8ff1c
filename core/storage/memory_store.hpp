// The store that lives in memory and ends with the process: for trying the portal out, and for tests. It has every
// trait of the port; durable means "until the process ends". All calls answer at once. Any thread; readers never wait
// for writers.
#pragma once

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
  // All that the store holds at one time; it never changes. A write makes the next one, which shares the values:
  // simple, and the keys of a trial are few.
  using Version = std::map<std::string, std::shared_ptr<const std::string>, std::less<>>;

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  std::shared_ptr<const Version> current();
  // Makes the changes to the current version. Only under writing_.
  void make(std::span<const Change> changes);

  Mutex writing_;   // held by the one writer, from reading the current version to publishing the next
  Mutex swapping_;  // held for the instant in which current_ is copied or replaced
  std::shared_ptr<const Version> current_ = std::make_shared<const Version>();
};

}  // namespace portail
