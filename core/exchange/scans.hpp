// Scans of a store: a visitor that calls a function, and keys whose values are read in batches.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/failure.hpp"
#include "core/exchange/steps/id_set.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Visits the entries of a scan until one fails. One scan, one thread.

// Calls `on_entry(key, value)`, which returns a Result<void>, for each entry. The caller checks outcome() after the
// scan.
template <class OnEntry>
class ResultVisitor final : public Visitor {
 public:
  explicit ResultVisitor(OnEntry on_entry) : on_entry_(std::move(on_entry)) {}

  bool visit(std::string_view key, std::string_view value) override {
    outcome_ = on_entry_(key, value);
    return outcome_.has_value();
  }
  // The first failure of on_entry, if there was one.
  [[nodiscard]] Result<void> outcome() const { return outcome_; }

 private:
  OnEntry on_entry_;
  Result<void> outcome_;
};

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
