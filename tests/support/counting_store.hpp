// A store that forwards to its target and counts the calls. One thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/storage/forwarding_store.hpp"

namespace portail {

struct StoreCalls {
  int sessions = 0;
  int batches = 0;  // calls of Session::get
  int keys = 0;     // in all batches
  int writes = 0;
  int swaps = 0;
  int scans = 0;
  friend bool operator==(const StoreCalls&, const StoreCalls&) = default;
};

class CountingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  StoreCalls calls;
  bool hides_revision = false;

  Task<std::unique_ptr<portail::Session>> open(Context& context) override {
    ++calls.sessions;
    co_return std::make_unique<Session>(co_await target().open(context), *this);
  }
  Task<void> write(Context& context, std::span<const Change> changes) override {
    ++calls.writes;
    return ForwardingStore::write(context, changes);
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    ++calls.swaps;
    return ForwardingStore::compare_and_swap(context, key, expected, desired);
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    ++calls.scans;
    return ForwardingStore::scan(context, prefix, visitor);
  }

 private:
  class Session final : public ForwardingSession {
   public:
    Session(std::unique_ptr<portail::Session> target, CountingStore& store)
        : ForwardingSession(std::move(target)), store_(store) {}
    [[nodiscard]] std::optional<StoreRevision> revision() const override {
      return store_.hides_revision ? std::nullopt : ForwardingSession::revision();
    }
    Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
      ++store_.calls.batches;
      store_.calls.keys += static_cast<int>(keys.size());
      return ForwardingSession::get(context, keys, values);
    }

   private:
    CountingStore& store_;
  };
};

}  // namespace portail
