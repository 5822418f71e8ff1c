// One asynchronous call of Spin's store: what the host reads from and writes to, for as long as the host may do so. A
// call that is destroyed before the host is done is cancelled; leave() lets it come to its end instead. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/bindings/spin/spin.h"

namespace portail::edge {

template <class Result, void (*free_result)(Result*)>
class HostCall final : Events::Listener {
 public:
  HostCall(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall() {
    if (subtask_ != 0) {
      if (!returned_) take(spin_subtask_cancel(subtask_));
      spin_subtask_drop(subtask_);
    }
    if (returned_) free_result(&result_);
  }

  // The arguments and the place of the answer, for the generated functions.
  [[nodiscard]] spin_string_t key() { return {.ptr = bytes(key_), .len = key_.size()}; }
  [[nodiscard]] spin_list_u8_t value() { return {.ptr = bytes(value_), .len = value_.size()}; }
  Result& result() { return result_; }

  // Said once, with what the generated function has returned.
  void began(spin_subtask_status_t status) {
    subtask_ = SPIN_SUBTASK_HANDLE(status);
    take(SPIN_SUBTASK_STATE(status));
  }
  // The code of an event of subtask().
  void take(std::uint32_t state) { returned_ = state == SPIN_SUBTASK_RETURNED; }

  [[nodiscard]] bool returned() const { return returned_; }
  [[nodiscard]] Waitable subtask() const { return subtask_; }

  // The task that runs now does not end before the call does.
  static void leave(std::unique_ptr<HostCall> call) {
    if (call->returned_) return;
    HostCall* left = call.release();
    Events::current().listen(left->subtask_, *left);
  }

 private:
  static std::uint8_t* bytes(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

  void happened(std::uint32_t code) override {
    take(code);
    leave(std::unique_ptr<HostCall>(this));
  }

  std::string key_;
  std::string value_;
  Result result_{};
  spin_subtask_t subtask_ = 0;
  bool returned_ = false;
};

using OpenCall = HostCall<spin_key_value_result_own_store_error_t, spin_key_value_result_own_store_error_free>;
using ReadCall =
    HostCall<spin_key_value_result_option_list_u8_error_t, spin_key_value_result_option_list_u8_error_free>;

// A call that comes to its end whatever becomes of whoever waits for it.
class WriteCall {
 public:
  using Call = HostCall<spin_key_value_result_void_error_t, spin_key_value_result_void_error_free>;

  WriteCall(std::string_view key, std::string_view value) : call_(std::make_unique<Call>(key, value)) {}
  WriteCall(WriteCall&&) = default;
  WriteCall& operator=(WriteCall&&) = default;
  ~WriteCall() {
    if (call_) Call::leave(std::move(call_));
  }

  Call& operator*() { return *call_; }
  Call* operator->() { return call_.get(); }

 private:
  std::unique_ptr<Call> call_;
};

}  // namespace portail::edge
