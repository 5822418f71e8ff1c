// Reads the keys of a Spin store from the host's stream, and then the outcome of the listing. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/spin/spin.h"
#include "edge/async/subtask.hpp"
#include "edge/host/lists.hpp"

namespace portail::edge {

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

}  // namespace portail::edge
