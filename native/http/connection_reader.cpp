#include "native/http/connection_reader.hpp"

#include <algorithm>
#include <utility>

namespace portail {

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

}  // namespace portail
