// One asynchronous call of Spin's store. Owns the arguments and the result while the host may access them. Destroying a
// pending call cancels it; detach() lets it complete instead. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/spin/spin.h"
#include "edge/async/events.hpp"
#include "edge/host/lists.hpp"

namespace portail::edge {

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

}  // namespace portail::edge
