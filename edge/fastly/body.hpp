// Bodies of the host: of requests, of answers, and of the values of its store. Calls block the instance. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/failure.hpp"
#include "edge/fastly/abi.hpp"
#include "edge/host/owned.hpp"

namespace portail::fastly {

inline void close_body(Handle body) { fastly_body_close(body); }
using HostBody = edge::Owned<Handle, close_body>;

// The time that several waits may take together. It starts with the first wait.
class Timeout {
 public:
  explicit Timeout(std::int64_t microseconds) : microseconds_(microseconds) {}

  // Blocks until the body, or the pending request, is ready (true), or the time is over (false).
  [[nodiscard]] bool wait_for(Handle item);

 private:
  std::int64_t microseconds_;
  std::optional<std::int64_t> end_;  // of the monotonic clock
};

// Appends all bytes. Returns false if the host fails.
[[nodiscard]] bool write_all(const HostBody& body, std::string_view bytes);

// Returns a body of these bytes; empty if the host fails.
HostBody new_body(std::string_view bytes);

// Reads into `buffer`. Returns the number of bytes, 0 at the end. Fails with Failure::body_incomplete, or with
// Failure::body_late when the timeout has ended. Without a timeout, waits until the host has bytes.
Result<std::size_t> read_some(const HostBody& body, std::span<char> buffer, Timeout* timeout = nullptr);

// Returns the whole body, or a prefix that is longer than `max_size`. Fails as read_some().
Result<std::string> read_whole(const HostBody& body, std::size_t max_size, Timeout* timeout = nullptr);

}  // namespace portail::fastly
