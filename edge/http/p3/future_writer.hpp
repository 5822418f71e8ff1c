// The writing end of a future whose reading end the host has. The component model forbids dropping a writing end before
// its value was read. So write() keeps the end until the host has read the value or dropped its own end, and the task
// ends only then.
#pragma once

#include <cstdint>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

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
