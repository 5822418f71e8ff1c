#include "edge/http/p3/byte_streams.hpp"

namespace portail::edge {
namespace {

// What the host was asked to do with a stream, from the call on until it has answered. Destroying it takes the request
// back: after that the host does not touch the bytes.
template <auto cancel>
class Asked {
 public:
  Asked(std::uint32_t stream, http3_waitable_status_t status) : stream_(stream), status_(status) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  ~Asked() { take_back(); }

  [[nodiscard]] bool waits() const { return status_ == HTTP3_WAITABLE_STATUS_BLOCKED; }
  void answered(std::uint32_t code) { status_ = code; }
  void take_back() {
    if (waits()) status_ = cancel(stream_);
  }
  [[nodiscard]] std::size_t count() const { return HTTP3_WAITABLE_COUNT(status_); }
  // The other side goes on.
  [[nodiscard]] bool open() const { return HTTP3_WAITABLE_STATE(status_) == HTTP3_WAITABLE_COMPLETED; }

 private:
  std::uint32_t stream_;
  http3_waitable_status_t status_;
};

}  // namespace

Task<std::size_t> read_some(Context&, const ByteReader& stream, std::span<char> buffer, Timer& timer) {
  while (true) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(buffer.data());
    Asked<wasi_http_stream_u8_cancel_read> read(stream.get(),
                                                wasi_http_stream_u8_read(stream.get(), bytes, buffer.size()));
    if (read.waits()) {
      const auto code = co_await Wait(stream.get(), timer);
      if (!code) co_await std::unexpected(Failure::cancelled);
      read.answered(*code);
    }
    if (read.count() > 0 || !read.open()) co_return read.count();
  }
}

Task<bool> was_whole(Context&, const TrailersReader& trailers, Timer& timer) {
  TrailersResult result{};
  Asked<wasi_http_future_result_option_own_trailers_error_code_cancel_read> read(
      trailers.get(), wasi_http_future_result_option_own_trailers_error_code_read(trailers.get(), &result));
  if (read.waits()) {
    const auto code = co_await Wait(trailers.get(), timer);
    if (!code) co_return false;
    read.answered(*code);
  }
  if (!read.open()) co_return false;
  const bool whole = !result.is_err;
  // Freeing the result leaves the resource in it.
  Fields unread;
  if (whole && result.val.ok.is_some) unread = Fields(result.val.ok.val);
  wasi_http_result_option_own_trailers_error_code_free(&result);
  co_return whole;
}

Task<bool> write_all(Context&, const ByteWriter& stream, std::string_view bytes, Timer& timer) {
  while (!bytes.empty()) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    Asked<wasi_http_stream_u8_cancel_write> write(stream.get(),
                                                  wasi_http_stream_u8_write(stream.get(), first, bytes.size()));
    if (write.waits()) {
      const auto code = co_await Wait(stream.get(), timer);
      if (!code) co_return false;
      write.answered(*code);
    }
    bytes.remove_prefix(write.count());
    if (!write.open() && !bytes.empty()) co_return false;
  }
  co_return true;
}

}  // namespace portail::edge
