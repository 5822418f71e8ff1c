// A store and a session that forward every call to their target: base classes of stores that change single calls.
// Threads: as the target.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/storage/key_value_store.hpp"

namespace portail {

class ForwardingSession : public Session {
 public:
  explicit ForwardingSession(std::unique_ptr<Session> target) : target_(std::move(target)) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    return target_->get(context, keys, values);
  }
  [[nodiscard]] std::optional<StoreRevision> revision() const override { return target_->revision(); }
  void release() override { target_->release(); }
  [[nodiscard]] std::size_t copied_bytes() const override { return target_->copied_bytes(); }

 protected:
  [[nodiscard]] Session& target() const { return *target_; }

 private:
  std::unique_ptr<Session> target_;
};

// Returns the sessions of the target; override open() to wrap them in a ForwardingSession.
class ForwardingStore : public KeyValueStore {
 public:
  // The target must outlive this.
  explicit ForwardingStore(KeyValueStore& target) : target_(target) {}

  [[nodiscard]] Traits traits() const override { return target_.traits(); }
  Task<std::unique_ptr<Session>> open(Context& context) override { return target_.open(context); }
  Task<void> write(Context& context, std::span<const Change> changes) override {
    return target_.write(context, changes);
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    return target_.compare_and_swap(context, key, expected, desired);
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    return target_.scan(context, prefix, visitor);
  }

 protected:
  [[nodiscard]] KeyValueStore& target() const { return target_; }

 private:
  KeyValueStore& target_;
};

// A store that checks something before each change: a lock that may be lost, a program that ends. Threads: as the
// target.
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
