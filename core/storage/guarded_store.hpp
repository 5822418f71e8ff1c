// A store that checks something before each change: a lock that may be lost, a program that ends. Threads: as the
// target.
#pragma once

#include <span>
#include <string_view>

#include "core/storage/forwarding_store.hpp"

namespace portail {

class GuardedStore : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<void> write(Context& context, std::span<const Change> changes) override {
    co_await before_change(context);
    co_await ForwardingStore::write(context, changes);
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    co_await before_change(context);
    co_return co_await ForwardingStore::compare_and_swap(context, key, expected, desired);
  }

 private:
  // If it fails, the change fails with the same failure and is not forwarded.
  virtual Task<void> before_change(Context& context) = 0;
};

}  // namespace portail
