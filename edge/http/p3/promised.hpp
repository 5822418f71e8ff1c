// The writing end of a future, in which the host was promised a value. The component model forbids dropping such an end
// before its value was taken, so keep() owns it: it stays until the host has taken the value or lost interest, and the
// task ends only then.
#pragma once

#include <cstdint>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

// The functions of one kind of future, as `wit-bindgen c` makes them.
template <class Value, auto create, auto write_value, auto drop_writer>
class Promised {
 public:
  Promised() { reader_ = create(&writer_); }
  Promised(const Promised&) = delete;
  Promised& operator=(const Promised&) = delete;
  // A promise without a value by now gets `unkept`: the request was given up.
  ~Promised() {
    if (!kept_) keep(unkept);
  }

  // The reading end, for the host.
  [[nodiscard]] std::uint32_t reader() const { return reader_; }

  // Once. `value` is a constant: the host may read it late.
  void keep(const Value& value) {
    kept_ = true;
    const http3_waitable_status_t status = write_value(writer_, &value);
    if (status != HTTP3_WAITABLE_STATUS_BLOCKED) return drop_writer(writer_);
    Events::current().listen(writer_, *new Taken(writer_));
  }

  static const Value unkept;

 private:
  struct Taken final : Events::Listener {
    explicit Taken(std::uint32_t end) : writer(end) {}
    void happened(std::uint32_t) override {
      drop_writer(writer);
      delete this;
    }
    std::uint32_t writer;
  };

  std::uint32_t reader_ = 0;
  std::uint32_t writer_ = 0;
  bool kept_ = false;
};

// That we have taken the request's body.
using PromisedDone =
    Promised<DoneResult, wasi_http_future_result_void_error_code_new, wasi_http_future_result_void_error_code_write,
             wasi_http_future_result_void_error_code_drop_writable>;
// The trailers of our answer.
using PromisedTrailers = Promised<TrailersResult, wasi_http_future_result_option_own_trailers_error_code_new,
                                  wasi_http_future_result_option_own_trailers_error_code_write,
                                  wasi_http_future_result_option_own_trailers_error_code_drop_writable>;

inline constexpr DoneResult taken_whole{};
inline constexpr TrailersResult no_trailers{};

template <>
inline constexpr DoneResult PromisedDone::unkept{
    .is_err = true, .val = {.err = {.tag = WASI_HTTP_ERROR_CODE_INTERNAL_ERROR, .val = {}}}};
template <>
inline constexpr TrailersResult PromisedTrailers::unkept{
    .is_err = true, .val = {.err = {.tag = WASI_HTTP_ERROR_CODE_HTTP_RESPONSE_INCOMPLETE, .val = {}}}};

}  // namespace portail::edge
