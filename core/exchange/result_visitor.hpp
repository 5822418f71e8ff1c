// Visits the entries of a scan until one fails. One scan, one thread.
#pragma once

#include <string_view>
#include <utility>

#include "core/base/failure.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

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

}  // namespace portail
