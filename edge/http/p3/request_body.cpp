#include "edge/http/p3/request_body.hpp"

#include "edge/http/p3/byte_streams.hpp"

namespace portail::edge {
namespace {

constexpr std::size_t chunk_size = 16 * 1024;

}  // namespace

void RequestBody::open() {
  done_.emplace();
  wasi_http_tuple2_stream_u8_future_result_option_own_trailers_error_code_t contents;
  wasi_http_static_request_consume_body(request_.release(), done_->reader(), &contents);
  stream_ = ByteReader(contents.f0);
  trailers_ = TrailersReader(contents.f1);
  buffer_.resize(chunk_size);
}

Task<std::optional<std::string_view>> RequestBody::next(Context& context) {
  if (ended_) co_return std::nullopt;
  if (!stream_) open();
  const auto count = co_await outcome(read_bytes(context, stream_, buffer_, timer_));
  if (!count) co_await std::unexpected(Failure::body_late);
  if (*count > 0) co_return std::string_view(buffer_.data(), *count);
  ended_ = true;
  stream_.reset();
  const auto complete = co_await outcome(is_complete(context, trailers_, timer_));
  if (!complete) co_await std::unexpected(Failure::body_late);
  if (!*complete) co_await std::unexpected(Failure::body_incomplete);
  trailers_.reset();
  done_->write(body_complete);
  co_return std::nullopt;
}

void RequestBody::close() {
  ended_ = true;
  stream_.reset();
  trailers_.reset();
  // If the body was not read to its end, this writes the error value.
  done_.reset();
}

}  // namespace portail::edge
