#include "native/http/connection_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/base/context.hpp"
#include "core/base/text.hpp"
#include "core/http/header_fields.hpp"

namespace portail {
namespace {

// Limit of size lines, extensions and trailers of one body, plus an allowance for each byte of data: chunks may be
// tiny.
constexpr std::size_t max_framing_size = 16 * 1024;
constexpr std::size_t framing_allowance_per_byte = 8;
constexpr std::uint64_t max_skipped_size = 64 * 1024;  // of an unread rest, so that the connection can be reused

// *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ), RFC 9112 section 7.1.1.
bool are_chunk_extensions(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return true;
  if (!text.starts_with(';') || text.ends_with(';') || !is_field_value(text)) return false;
  text.remove_prefix(1);
  while (!text.empty()) {
    const std::string_view extension = take_item(text, ';');
    const std::size_t equals = extension.find('=');
    if (!is_token(trimmed(extension.substr(0, equals)))) return false;
    if (equals != std::string_view::npos && !parameter_value(trimmed(extension.substr(equals + 1)))) return false;
  }
  return true;
}

}  // namespace

std::span<char> ConnectionReader::head_space() {
  std::vector<char>& bytes = head_buffer_.bytes;
  std::ranges::copy(head_buffer_.unread(), bytes.begin());
  head_buffer_.end -= std::exchange(head_buffer_.next, 0);
  if (head_buffer_.end == bytes.size()) bytes.resize(std::max(initial_buffer_size, bytes.size() * 2));
  return std::span(bytes).subspan(head_buffer_.end);
}

Task<void> ConnectionReader::await_request(Context& context, Deadline deadline) {
  if (head_buffer_.next == head_buffer_.end) {
    // Bytes received after the last body begin the next request.
    std::swap(head_buffer_, body_buffer_);
    body_buffer_.next = body_buffer_.end = 0;
  }
  if (head_buffer_.next < head_buffer_.end) co_return;
  head_buffer_.end += co_await stream_.read(context, head_space(), deadline);
}

Task<std::expected<void, FramingError>> ConnectionReader::read_head(Context& context, RequestHead& head) {
  head.method = {};  // the previous request's head must not appear in errors of this one
  head.headers.clear();
  const Deadline deadline = std::chrono::steady_clock::now() + head_timeout;
  std::size_t scanned = 0;
  bool may_skip_line = true;  // RFC 9112 section 2.2: one empty line before a request is ignored
  while (true) {
    if (may_skip_line && head_buffer_.unread().starts_with("\r\n")) {
      may_skip_line = false;
      head_buffer_.next += 2;
      scanned = 0;
    }
    if (!may_skip_line || head_buffer_.unread() != "\r") {
      const auto length = find_head_end(head_buffer_.unread(), scanned);
      if (!length) co_return std::unexpected(length.error());
      if (*length > 0) {
        const std::string_view bytes = head_buffer_.unread().substr(0, *length);
        head_buffer_.next += *length;
        co_return parse_request_head(bytes, head);
      }
    }
    head_buffer_.end += co_await stream_.read(context, head_space(), deadline);
  }
}

std::string_view ConnectionReader::consume(std::size_t limit) {
  Buffer& buffer = head_buffer_.next < head_buffer_.end ? head_buffer_ : body_buffer_;
  const std::string_view bytes = buffer.unread().substr(0, limit);
  buffer.next += bytes.size();
  return bytes;
}

Task<void> ConnectionReader::receive(Context& context, Deadline deadline) {
  body_buffer_.bytes.resize(max_read_size);
  body_buffer_.next = body_buffer_.end = 0;
  body_buffer_.end = co_await stream_.read(context, body_buffer_.bytes, deadline);
}

Task<void> ConnectionReader::discard_until(Context& context, Deadline deadline) {
  body_buffer_.bytes.resize(max_read_size);
  body_buffer_.next = body_buffer_.end = 0;
  while (std::chrono::steady_clock::now() < deadline) co_await stream_.read(context, body_buffer_.bytes, deadline);
}

RequestBody::RequestBody(const RequestHead& head, ConnectionReader& reader, AsyncStream& stream,
                         std::uint64_t bytes_per_timeout)
    : reader_(reader),
      stream_(stream),
      state_(head.chunked ? State::at_size_line : State::in_data),
      chunked_(head.chunked),
      awaits_continue_(head.expects_continue && head.has_body()),
      remaining_(head.chunked ? 0 : head.content_length.value_or(0)),
      bytes_per_timeout_(bytes_per_timeout) {
  if (!head.has_body()) state_ = State::ended;
}

Task<std::optional<std::string_view>> RequestBody::next(Context& context) {
  const std::string_view data = co_await pull(context);
  if (state_ == State::failed) {
    // What the server itself cuts off is not the client's fault, which 400 would say.
    if (context.suspension && context.suspension->is_cancelled()) co_return std::unexpected(Failure::cancelled);
    const bool is_late = !framing_error_ && std::chrono::steady_clock::now() >= *deadline_;
    co_return std::unexpected(is_late ? Failure::body_late : Failure::body_incomplete);
  }
  if (data.empty()) co_return std::nullopt;
  delivered_ += data.size();
  co_return data;
}

bool RequestBody::can_be_skipped() const {
  if (state_ == State::ended) return true;
  // The client may or may not send the body without a 100, so the position of the next request is unknown.
  return state_ == State::in_data && !chunked_ && !awaits_continue_ && remaining_ <= max_skipped_size;
}

Task<bool> RequestBody::skip_rest(Context& context) {
  while (state_ != State::ended && state_ != State::failed) co_await pull(context);
  co_return state_ == State::ended;
}

Task<std::string_view> RequestBody::pull(Context& context) {
  const bool is_fast = bytes_per_timeout_ > 0 && delivered_ - delivered_at_deadline_ >= bytes_per_timeout_;
  if (!deadline_ || is_fast) {
    deadline_ = std::chrono::steady_clock::now() + read_timeout;
    delivered_at_deadline_ = delivered_;
  }
  if (awaits_continue_) {
    awaits_continue_ = false;
    if (!co_await outcome(stream_.write(context, "HTTP/1.1 100 Continue\r\n\r\n", *deadline_))) state_ = State::failed;
  }
  while (true) {
    if (const auto data = decode()) co_return *data;
    if (!co_await outcome(reader_.receive(context, *deadline_))) state_ = State::failed;
  }
}

std::optional<std::string_view> RequestBody::decode() {
  while (true) {
    switch (state_) {
      case State::in_data:
        return read_data();
      case State::ended:
      case State::failed:
        return std::string_view();
      case State::at_size_line:
      case State::after_data:
      case State::in_trailers:
        break;
    }
    if (!read_line()) {
      if (state_ == State::failed) continue;
      return std::nullopt;
    }
    if (state_ == State::at_size_line) {
      start_chunk();
    } else if (state_ == State::in_trailers) {
      if (line_.empty()) {
        state_ = State::ended;
      } else if (!parse_field_line(line_)) {
        fail();
      }
    } else if (line_.empty()) {
      state_ = State::at_size_line;
    } else {
      fail();
    }
    line_.clear();
  }
}

std::optional<std::string_view> RequestBody::read_data() {
  constexpr std::uint64_t max = max_skipped_size + 1;
  const std::string_view data = reader_.consume(static_cast<std::size_t>(std::min(remaining_, max)));
  if (data.empty()) return std::nullopt;
  remaining_ -= data.size();
  if (remaining_ == 0) state_ = chunked_ ? State::after_data : State::ended;
  return data;
}

// chunk-size [ chunk-ext ]: extensions are ignored, but must be valid.
void RequestBody::start_chunk() {
  constexpr std::size_t max_digits = 8;
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line_.size(); ++digits) {
    const auto digit = hexadecimal_digit(line_[digits]);
    if (!digit) break;
    size = size * 16 + *digit;
    if (digits == max_digits) break;
  }
  const std::string_view extensions = std::string_view(line_).substr(digits);
  if (digits == 0 || digits > max_digits || !are_chunk_extensions(extensions)) return fail();
  remaining_ = size;
  state_ = size == 0 ? State::in_trailers : State::in_data;
}

bool RequestBody::read_line() {
  while (true) {
    const std::string_view byte = reader_.consume(1);
    if (byte.empty()) return false;
    const char c = byte.front();
    const bool ends = c == '\n';
    const bool after_return = !line_.empty() && line_.back() == '\r';
    if (++framing_size_ > max_framing_size + framing_allowance_per_byte * delivered_ || ends != after_return ||
        c == '\0') {
      fail();  // a bare CR or LF, or too much framing
      return false;
    }
    if (ends) {
      line_.pop_back();
      return true;
    }
    line_ += c;
  }
}

void RequestBody::fail() {
  state_ = State::failed;
  framing_error_ = FramingError::bad_request;
}

}  // namespace portail
