// A batch of keys that is read in one round trip to the store. Belongs to one request.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail {

class Batch {
 public:
  // Reserves memory for `keys` keys.
  void reserve(std::size_t keys) { keys_.reserve(keys); }
  // Adds a key and returns the slot of its value.
  std::size_t add(std::string key) {
    keys_.push_back(std::move(key));
    return keys_.size() - 1;
  }
  [[nodiscard]] bool empty() const { return keys_.empty(); }

  // Reads all keys. Does nothing if the batch is empty. The batch must not move until the task completes.
  Task<void> fetch(Context& context, Session& session) {
    if (keys_.empty()) co_return;
    const std::vector<std::string_view> keys(keys_.begin(), keys_.end());
    values_.resize(keys.size());
    co_await session.get(context, keys, values_);
  }

  // Returns the value in `slot`, valid as long as the session.
  [[nodiscard]] Value operator[](std::size_t slot) const { return values_[slot]; }
  // Returns the values in the order of add().
  [[nodiscard]] std::span<const Value> values() const { return values_; }

 private:
  std::vector<std::string> keys_;
  std::vector<Value> values_;
};

}  // namespace portail
