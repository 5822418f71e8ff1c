// Scans of a store: a function for each entry, and keys whose values are read in batches.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/exchange/steps/id_set.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Calls `on_entry` for each entry whose key begins with `prefix`, until one fails; then the scan fails in the same way.
// `prefix`, and what `on_entry` refers to, must outlive the task. No template: a coroutine for each caller would be 4
// KB of a component.
using OnEntry = std::function<Result<void>(std::string_view key, std::string_view value)>;
Task<void> scan_entries(Context& context, KeyValueStore& store, std::string_view prefix, OnEntry on_entry);

// The keys of one prefix, to read their values in batches. One thread at a time.

class KeyBatches {
 public:
  // Replaces the list by the keys that begin with `prefix`, in ascending order.
  Task<void> read(Context& context, KeyValueStore& store, std::string_view prefix);
  // Adds a key, without line breaks.
  void add(std::string_view key);

  [[nodiscard]] bool empty() const { return position_ == keys_.size(); }
  // Removes the next keys, at most max_batch, and reads their values in `session`, whose views they are.
  struct Entry {
    std::string_view key;
    Value value;  // nullopt: the key was removed since
  };
  Task<std::vector<Entry>> take(Context& context, Session& session);
  // Returns the keys that take() has not removed.
  [[nodiscard]] IdSet set() const;
  [[nodiscard]] std::size_t occupied() const { return keys_.size(); }

  static constexpr std::size_t max_batch = 32;

 private:
  std::string keys_;  // each with a line break
  std::size_t position_ = 0;
};

}  // namespace portail
