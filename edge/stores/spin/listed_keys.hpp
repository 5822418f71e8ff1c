// The keys of a Spin store as the host streams them, and after them whether those were all. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "edge/async/subtask.hpp"
#include "edge/bindings/spin/spin.h"
#include "edge/host/lists.hpp"

namespace portail::edge {

class ListedKeys {
 public:
  // Takes both ends over.
  explicit ListedKeys(const spin_key_value_tuple2_stream_string_future_result_void_error_t& ends)
      : names_(ends.f0), outcome_(ends.f1) {}
  ListedKeys(const ListedKeys&) = delete;
  ListedKeys& operator=(const ListedKeys&) = delete;
  ~ListedKeys() {
    if (blocked_ && !ended_) spin_key_value_stream_string_cancel_read(names_);
    if (blocked_ && ended_) spin_key_value_future_result_void_error_cancel_read(outcome_);
    spin_key_value_stream_string_drop_readable(names_);
    spin_key_value_future_result_void_error_drop_readable(outcome_);
    if (known_) spin_key_value_result_void_error_free(&result_);
  }

  // Where it is blocked afterwards, the event of names() is for names_read().
  void read_names() {
    const spin_waitable_status_t status = spin_key_value_stream_string_read(names_, buffer_.data(), buffer_.size());
    blocked_ = status == SPIN_WAITABLE_STATUS_BLOCKED;
    if (!blocked_) names_read(status);
  }
  void names_read(std::uint32_t status) {
    blocked_ = false;
    for (std::size_t i = 0; i < SPIN_WAITABLE_COUNT(status); ++i) {
      all_.emplace_back(view_of(buffer_[i]));
      spin_string_free(&buffer_[i]);
    }
    ended_ = SPIN_WAITABLE_STATE(status) != SPIN_WAITABLE_COMPLETED;
  }
  // The same, once the names have ended.
  void read_outcome() {
    blocked_ = spin_key_value_future_result_void_error_read(outcome_, &result_) == SPIN_WAITABLE_STATUS_BLOCKED;
    known_ = !blocked_;
  }
  void outcome_read() {
    blocked_ = false;
    known_ = true;
  }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool blocked() const { return blocked_; }
  [[nodiscard]] Waitable names() const { return names_; }
  [[nodiscard]] Waitable outcome() const { return outcome_; }
  // Null where those were all keys.
  [[nodiscard]] const spin_key_value_error_t* error() const { return result_.is_err ? &result_.val.err : nullptr; }
  std::vector<std::string> take() { return std::move(all_); }

 private:
  spin_key_value_stream_string_t names_;
  spin_key_value_future_result_void_error_t outcome_;
  std::array<spin_string_t, 64> buffer_{};
  spin_key_value_result_void_error_t result_{};
  std::vector<std::string> all_;
  bool blocked_ = false;
  bool ended_ = false;
  bool known_ = false;
};

}  // namespace portail::edge
