// Reading and writing the component model's streams and futures from a coroutine. Destroying the coroutine cancels what
// the host was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "edge/async/events.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

// A read or a write that the host was asked for, from the call until the host has completed it. The destructor cancels
// it; afterwards the host does not touch the bytes.
template <auto cancel>
class InFlight {
 public:
  // `status` is what the call returned.
  InFlight(std::uint32_t stream, http3_waitable_status_t status) : stream_(stream), status_(status) {}
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  ~InFlight() {
    if (pending()) cancel(stream_);
  }

  [[nodiscard]] bool pending() const { return status_ == HTTP3_WAITABLE_STATUS_BLOCKED; }
  // `code` is that of the event of the stream.
  void complete(std::uint32_t code) { status_ = code; }
  [[nodiscard]] std::size_t count() const { return HTTP3_WAITABLE_COUNT(status_); }
  // The other end is open.
  [[nodiscard]] bool open() const { return HTTP3_WAITABLE_STATE(status_) == HTTP3_WAITABLE_COMPLETED; }

 private:
  std::uint32_t stream_;
  http3_waitable_status_t status_;
};

// Bytes from the host into `buffer`, which is not empty and lives as long as the Task: how many; 0 at the end of the
// stream. Fails with Failure::cancelled when the timer is over first.
Task<std::size_t> read_some(Context& context, const ByteReader& stream, std::span<char> buffer, Timer& timer);

// After the end of a body's stream: whether the body ended there too, or its sender was lost.
Task<bool> was_whole(Context& context, const TrailersReader& trailers, Timer& timer);

}  // namespace portail::edge
