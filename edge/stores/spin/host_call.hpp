// One asynchronous call of Spin's store: what the host reads from and writes to, for as long as the host may do so. A
// call that is destroyed before the host is done is cancelled; leave() lets it come to its end instead. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/bindings/spin/spin.h"
#include "edge/host/lists.hpp"

namespace portail::edge {

template <class Result, void (*free_result)(Result*)>
class HostCall final : Events::Listener {
 public:
  HostCall(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall() {
    subtask_.end();
    if (subtask_.returned()) free_result(&result_);
  }

  // The arguments and the place of the answer, for the generated functions.
  [[nodiscard]] spin_string_t key() const { return list_of<spin_string_t>(key_); }
  [[nodiscard]] spin_list_u8_t value() const { return list_of<spin_list_u8_t>(value_); }
  Result& result() { return result_; }

  Subtask& subtask() { return subtask_; }

  // The task that runs now does not end before the call does.
  static void leave(std::unique_ptr<HostCall> call) {
    if (call->subtask_.returned()) return;
    HostCall* left = call.release();
    Events::current().listen(left->subtask_.waitable(), *left);
  }

 private:
  void happened(std::uint32_t code) override {
    subtask_.take(code);
    leave(std::unique_ptr<HostCall>(this));
  }

  std::string key_;
  std::string value_;
  Result result_{};
  Subtask subtask_;
};

using OpenCall = HostCall<spin_key_value_result_own_store_error_t, spin_key_value_result_own_store_error_free>;
using ReadCall =
    HostCall<spin_key_value_result_option_list_u8_error_t, spin_key_value_result_option_list_u8_error_free>;

// A call that completes even if its caller is gone.
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
