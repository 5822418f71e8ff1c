// Reading and writing streams and futures of the component model from a coroutine. Destroying the coroutine cancels the
// pending operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "edge/async/events.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

// A read or a write in flight, from the call until the host has completed it. The destructor cancels a pending
// operation; afterwards the host no longer accesses the buffer.
template <auto cancel>
class InFlight {
 public:
  // `status` is the return value of the call.
  InFlight(std::uint32_t stream, http3_waitable_status_t status) : stream_(stream), status_(status) {}
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  ~InFlight() {
    if (pending()) cancel(stream_);
  }

  [[nodiscard]] bool pending() const { return status_ == HTTP3_WAITABLE_STATUS_BLOCKED; }
  // `code` is the code of the stream's event.
  void complete(std::uint32_t code) { status_ = code; }
  [[nodiscard]] std::size_t count() const { return HTTP3_WAITABLE_COUNT(status_); }
  // Returns whether the other end is open.
  [[nodiscard]] bool open() const { return HTTP3_WAITABLE_STATE(status_) == HTTP3_WAITABLE_COMPLETED; }

 private:
  std::uint32_t stream_;
  http3_waitable_status_t status_;
};

// Reads bytes into `buffer`, which must not be empty and must outlive the task. Returns their number; 0 at the end of
// the stream. Fails with Failure::cancelled if the timer ends first.
Task<std::size_t> read_bytes(Context& context, const ByteReader& stream, std::span<char> buffer, Timer& timer);

// Called after the end of a body's stream. Returns whether the body is complete; false if its sender was lost. Fails
// with Failure::cancelled if the timer ends first.
Task<bool> is_complete(Context& context, const TrailersReader& trailers, Timer& timer);

}  // namespace portail::edge
