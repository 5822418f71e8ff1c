#include "native/http/connection_reader.hpp"

#include <algorithm>
#include <utility>

namespace portail {

std::span<char> ConnectionReader::room_for_head() {
  std::vector<char>& bytes = head_.bytes;
  std::ranges::copy(head_.unread(), bytes.begin());
  head_.end -= std::exchange(head_.next, 0);
  if (head_.end == bytes.size()) bytes.resize(std::max(initial_size, bytes.size() * 2));
  return std::span(bytes).subspan(head_.end);
}

Task<void> ConnectionReader::await_request(Context& context, Deadline deadline) {
  if (head_.next == head_.end) {
    // What came after the last request's body is the next request.
    std::swap(head_, rest_);
    rest_.next = rest_.end = 0;
  }
  if (head_.next < head_.end) co_return;
  head_.end += co_await stream_.read(context, room_for_head(), deadline);
}

Task<std::expected<void, FramingError>> ConnectionReader::read_head(Context& context, RequestHead& head) {
  head.method = {};  // until there is a new one, nothing of the last request is said of this one
  head.headers.clear();
  const Deadline deadline = std::chrono::steady_clock::now() + longest_head_time;
  std::size_t scanned = 0;
  bool may_skip_line = true;  // one empty line before a request is nothing: RFC 9112 section 2.2
  while (true) {
    if (may_skip_line && head_.unread().starts_with("\r\n")) {
      may_skip_line = false;
      head_.next += 2;
      scanned = 0;
    }
    if (!may_skip_line || head_.unread() != "\r") {
      const auto length = find_head_end(head_.unread(), scanned);
      if (!length) co_return std::unexpected(length.error());
      if (*length > 0) {
        const std::string_view bytes = head_.unread().substr(0, *length);
        head_.next += *length;
        co_return parse_request_head(bytes, head);
      }
    }
    head_.end += co_await stream_.read(context, room_for_head(), deadline);
  }
}

std::string_view ConnectionReader::take(std::size_t limit) {
  Buffer& buffer = head_.next < head_.end ? head_ : rest_;
  const std::string_view bytes = buffer.unread().substr(0, limit);
  buffer.next += bytes.size();
  return bytes;
}

Task<void> ConnectionReader::receive(Context& context, Deadline deadline) {
  rest_.bytes.resize(largest_read);
  rest_.next = rest_.end = 0;
  rest_.end = co_await stream_.read(context, rest_.bytes, deadline);
}

Task<void> ConnectionReader::discard_until(Context& context, Deadline deadline) {
  rest_.bytes.resize(largest_read);
  rest_.next = rest_.end = 0;
  while (std::chrono::steady_clock::now() < deadline) co_await stream_.read(context, rest_.bytes, deadline);
}

}  // namespace portail
