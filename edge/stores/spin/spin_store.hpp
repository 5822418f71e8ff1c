// The key-value store of Spin, and the streams and calls of its host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/spin/spin.h"
#include "core/webassembly/bucket_store.hpp"
#include "edge/async/events.hpp"
#include "edge/host/owned.hpp"
#include "edge/stores/keyvalue/keyvalue2_store.hpp"

namespace portail::edge {

// Reads the keys of a Spin store from the host's stream, and then the outcome of the listing. One thread.

class KeyStream {
 public:
  // Takes ownership of both reading ends.
  explicit KeyStream(const spin_key_value_tuple2_stream_string_future_result_void_error_t& ends)
      : names_(ends.f0), outcome_(ends.f1) {}
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;
  ~KeyStream() {
    if (blocked_ && !ended_) spin_key_value_stream_string_cancel_read(names_);
    if (blocked_ && ended_) spin_key_value_future_result_void_error_cancel_read(outcome_);
    spin_key_value_stream_string_drop_readable(names_);
    spin_key_value_future_result_void_error_drop_readable(outcome_);
    if (has_outcome_) spin_key_value_result_void_error_free(&result_);
  }

  // Reads the next keys. If blocked() afterwards, the code of the next event of names() must be passed to
  // on_names_read().
  void read_names() {
    const spin_waitable_status_t status = spin_key_value_stream_string_read(names_, buffer_.data(), buffer_.size());
    blocked_ = status == SPIN_WAITABLE_STATUS_BLOCKED;
    if (!blocked_) on_names_read(status);
  }
  void on_names_read(std::uint32_t status) {
    blocked_ = false;
    for (std::size_t i = 0; i < SPIN_WAITABLE_COUNT(status); ++i) {
      keys_.emplace_back(view_of(buffer_[i]));
      spin_string_free(&buffer_[i]);
    }
    ended_ = SPIN_WAITABLE_STATE(status) != SPIN_WAITABLE_COMPLETED;
  }
  // Reads the outcome, after the last key. If blocked() afterwards, on_outcome_read() must be called at the event of
  // outcome().
  void read_outcome() {
    blocked_ = spin_key_value_future_result_void_error_read(outcome_, &result_) == SPIN_WAITABLE_STATUS_BLOCKED;
    has_outcome_ = !blocked_;
  }
  void on_outcome_read() {
    blocked_ = false;
    has_outcome_ = true;
  }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool blocked() const { return blocked_; }
  [[nodiscard]] Waitable names() const { return names_; }
  [[nodiscard]] Waitable outcome() const { return outcome_; }
  // Returns the error of the listing; null if it is complete.
  [[nodiscard]] const spin_key_value_error_t* error() const { return result_.is_err ? &result_.val.err : nullptr; }
  // Moves the keys out.
  std::vector<std::string> release_keys() { return std::move(keys_); }

 private:
  spin_key_value_stream_string_t names_;
  spin_key_value_future_result_void_error_t outcome_;
  std::array<spin_string_t, 64> buffer_{};
  spin_key_value_result_void_error_t result_{};
  std::vector<std::string> keys_;
  bool blocked_ = false;
  bool ended_ = false;
  bool has_outcome_ = false;
};

// One asynchronous call of Spin's store. Owns the arguments and the result while the host may access them. Destroying a
// pending call cancels it; detach() lets it complete instead. One thread.

template <class Result, void (*free_result)(Result*)>
class StoreCall final : Events::Listener {
 public:
  StoreCall(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  StoreCall(const StoreCall&) = delete;
  StoreCall& operator=(const StoreCall&) = delete;
  ~StoreCall() {
    subtask_.close();
    if (subtask_.returned()) free_result(&result_);
  }

  // The arguments and the result, for the generated functions.
  [[nodiscard]] spin_string_t key() const { return list_of<spin_string_t>(key_); }
  [[nodiscard]] spin_list_u8_t value() const { return list_of<spin_list_u8_t>(value_); }
  Result& result() { return result_; }

  Subtask& subtask() { return subtask_; }

  // Lets `call` complete, and then deletes it. The current task does not end before the call.
  static void detach(std::unique_ptr<StoreCall> call) {
    if (call->subtask_.returned()) return;
    StoreCall* detached = call.release();
    Events::current().listen(detached->subtask_.waitable(), *detached);
  }

 private:
  void on_event(std::uint32_t code) override {
    subtask_.on_event(code);
    detach(std::unique_ptr<StoreCall>(this));
  }

  std::string key_;
  std::string value_;
  Result result_{};
  Subtask subtask_;
};

using OpenCall = StoreCall<spin_key_value_result_own_store_error_t, spin_key_value_result_own_store_error_free>;
using ReadCall =
    StoreCall<spin_key_value_result_option_list_u8_error_t, spin_key_value_result_option_list_u8_error_free>;

// A write, which completes even if its caller is destroyed before.
class WriteCall {
 public:
  using Call = StoreCall<spin_key_value_result_void_error_t, spin_key_value_result_void_error_free>;

  WriteCall(std::string_view key, std::string_view value) : call_(std::make_unique<Call>(key, value)) {}
  WriteCall(WriteCall&&) = default;
  WriteCall& operator=(WriteCall&&) = default;
  ~WriteCall() {
    if (call_) Call::detach(std::move(call_));
  }

  Call& operator*() { return *call_; }
  Call* operator->() { return call_.get(); }

 private:
  std::unique_ptr<Call> call_;
};

// The store in Spin's key-value store, spin:key-value@3.0.0. Calls are asynchronous: they suspend the coroutine, and
// the instance handles other requests. The keys of a batch are read concurrently.
//
// That interface has no compare-and-swap, so SpinStore uses Spin's other interface to the same store for it; this call
// blocks. The store must live as long as its instance: a write whose caller was destroyed still uses the host's store.
// One thread.

class SpinStore final : public BucketStore {
 public:
  // `label` is one of key_value_stores in spin.toml. Never fails: the first operation opens the host's store.
  static std::unique_ptr<SpinStore> open(const std::string& label) { return std::make_unique<SpinStore>(label); }
  using BucketStore::open;
  explicit SpinStore(std::string label) : label_(std::move(label)) {}
  [[nodiscard]] Traits traits() const override { return {.compare_and_swap = true}; }

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<void> apply(Context& context, std::span<const Change> changes) override;
  Task<std::vector<std::string>> keys(Context& context, std::string_view prefix) override;
  Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;

 private:
  using HostStore = Owned<spin_key_value_own_store_t, spin_key_value_store_drop_own>;

  // Returns the host's store. Opens it if necessary.
  Task<spin_key_value_borrow_store_t> store(Context& context);

  std::string label_;
  HostStore store_;
  std::unique_ptr<Keyvalue2Store> swaps_;
};

}  // namespace portail::edge
