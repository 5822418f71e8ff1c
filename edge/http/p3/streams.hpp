// Streams and futures of the component model: reads and writes that a coroutine awaits, and the writing end of a
// future.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

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

// Destroying the task of one of these cancels its pending read.

// Reads bytes into `buffer`, which must not be empty and must outlive the task. Returns their number; 0 at the end of
// the stream. Fails with Failure::cancelled if the timer ends first.
Task<std::size_t> read_bytes(Context& context, const ByteReader& stream, std::span<char> buffer, Timer& timer);

// Called after the end of a body's stream. Returns whether the body is complete; false if its sender was lost. Fails
// with Failure::cancelled if the timer ends first.
Task<bool> is_complete(Context& context, const TrailersReader& trailers, Timer& timer);

// The writing end of a future whose reading end the host has. The component model forbids dropping a writing end before
// its value was read. So write() keeps the end until the host has read the value or dropped its own end, and the task
// ends only then.
//
// The parameters are the functions of one future type, as `wit-bindgen c` generates them.
template <class Value, auto create, auto write_value, auto drop_writer>
class FutureWriter {
 public:
  FutureWriter() { reader_ = create(&writer_); }
  FutureWriter(const FutureWriter&) = delete;
  FutureWriter& operator=(const FutureWriter&) = delete;
  // If no value was written, because the request was cancelled, writes `default_value`.
  ~FutureWriter() {
    if (!written_) write(default_value);
  }

  // The reading end, for the host.
  [[nodiscard]] std::uint32_t reader() const { return reader_; }

  // Called once. `value` must have static storage: the host may read it later.
  void write(const Value& value) {
    written_ = true;
    const http3_waitable_status_t status = write_value(writer_, &value);
    if (status != HTTP3_WAITABLE_STATUS_BLOCKED) return drop_writer(writer_);
    Events::current().listen(writer_, *new DropOnRead(writer_));
  }

  static const Value default_value;

 private:
  struct DropOnRead final : Events::Listener {
    explicit DropOnRead(std::uint32_t end) : writer(end) {}
    void on_event(std::uint32_t) override {
      drop_writer(writer);
      delete this;
    }
    std::uint32_t writer;
  };

  std::uint32_t reader_ = 0;
  std::uint32_t writer_ = 0;
  bool written_ = false;
};

// Reports whether the request's body was read.
using DoneWriter =
    FutureWriter<DoneResult, wasi_http_future_result_void_error_code_new, wasi_http_future_result_void_error_code_write,
                 wasi_http_future_result_void_error_code_drop_writable>;
// The trailers of the answer.
using TrailersWriter = FutureWriter<TrailersResult, wasi_http_future_result_option_own_trailers_error_code_new,
                                    wasi_http_future_result_option_own_trailers_error_code_write,
                                    wasi_http_future_result_option_own_trailers_error_code_drop_writable>;

inline constexpr DoneResult body_complete{};
inline constexpr TrailersResult no_trailers{};

template <>
inline constexpr DoneResult DoneWriter::default_value{
    .is_err = true, .val = {.err = {.tag = WASI_HTTP_ERROR_CODE_INTERNAL_ERROR, .val = {}}}};
template <>
inline constexpr TrailersResult TrailersWriter::default_value{
    .is_err = true, .val = {.err = {.tag = WASI_HTTP_ERROR_CODE_HTTP_RESPONSE_INCOMPLETE, .val = {}}}};

}  // namespace portail::edge
