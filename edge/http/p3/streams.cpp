#include "edge/http/p3/streams.hpp"

namespace portail::edge {

Task<std::size_t> read_bytes(Context&, const ByteReader& stream, std::span<char> buffer, Timer& timer) {
  while (true) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(buffer.data());
    InFlight<wasi_http_stream_u8_cancel_read> read(stream.get(),
                                                   wasi_http_stream_u8_read(stream.get(), bytes, buffer.size()));
    if (read.pending()) {
      const auto code = co_await Wait(stream.get(), timer);
      if (!code) co_await std::unexpected(Failure::cancelled);
      read.complete(*code);
    }
    if (read.count() > 0 || !read.open()) co_return read.count();
  }
}

Task<bool> is_complete(Context&, const TrailersReader& trailers, Timer& timer) {
  TrailersResult result{};
  InFlight<wasi_http_future_result_option_own_trailers_error_code_cancel_read> read(
      trailers.get(), wasi_http_future_result_option_own_trailers_error_code_read(trailers.get(), &result));
  if (read.pending()) {
    const auto code = co_await Wait(trailers.get(), timer);
    if (!code) co_return std::unexpected(Failure::cancelled);
    read.complete(*code);
  }
  if (!read.open()) co_return false;
  const bool whole = !result.is_err;
  // Freeing the result does not drop the resource in it.
  Fields unread;
  if (whole && result.val.ok.is_some) unread = Fields(result.val.ok.val);
  wasi_http_result_option_own_trailers_error_code_free(&result);
  co_return whole;
}

}  // namespace portail::edge
