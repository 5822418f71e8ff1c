// Keys that are read together: one round trip to the store. Belongs to one request.
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
  // Makes room for so many keys.
  void reserve(std::size_t keys) { keys_.reserve(keys); }
  // The place of the key's value.
  std::size_t add(std::string key) {
    keys_.push_back(std::move(key));
    return keys_.size() - 1;
  }
  [[nodiscard]] bool empty() const { return keys_.empty(); }

  // Reads all keys; nothing where there are none. The batch must stay where it is until then.
  Task<void> fetch(Context& context, Session& session) {
    if (keys_.empty()) co_return;
    const std::vector<std::string_view> keys(keys_.begin(), keys_.end());
    values_.resize(keys.size());
    co_await session.get(context, keys, values_);
  }

  // Lives as long as the session.
  [[nodiscard]] Value operator[](std::size_t place) const { return values_[place]; }
  // In the order of add().
  [[nodiscard]] std::span<const Value> values() const { return values_; }

 private:
  std::vector<std::string> keys_;
  std::vector<Value> values_;
};

}  // namespace portail
