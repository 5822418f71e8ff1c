#include "native/http/byte_stream.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/socket.h>

namespace portail {

ConnectionSuspension::Awaiter AsyncStream::wait_for(StreamStatus status, Deadline deadline) {
  return suspension_.wait_for(status == StreamStatus::want_write ? ConnectionSuspension::Event::writable
                                                                 : ConnectionSuspension::Event::readable,
                              deadline);
}

bool AsyncStream::can_wait(StreamStatus status, Deadline deadline) {
  return status != StreamStatus::closed && std::chrono::steady_clock::now() < deadline;
}

Task<bool> AsyncStream::open(Context&, Deadline deadline) {
  while (true) {
    const auto opened = stream_.open();
    if (opened) co_return true;
    if (opened.error() == StreamStatus::plain_http) co_return false;
    if (!can_wait(opened.error(), deadline)) co_return std::unexpected(Failure::cancelled);
    co_await wait_for(opened.error(), deadline);
  }
}

Task<std::size_t> AsyncStream::read(Context&, std::span<char> into, Deadline deadline) {
  if (!may_be_readable_ && !stream_.has_pending()) co_await wait_for(StreamStatus::want_read, deadline);
  while (true) {
    const auto count = stream_.read(into);
    may_be_readable_ = false;
    if (count) co_return *count;
    if (!can_wait(count.error(), deadline)) co_return std::unexpected(Failure::cancelled);
    co_await wait_for(count.error(), deadline);
  }
}

Task<void> AsyncStream::write(Context&, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const auto count = stream_.write(bytes);
    if (count) {
      bytes.remove_prefix(*count);
      continue;
    }
    if (!can_wait(count.error(), deadline)) co_await std::unexpected(Failure::cancelled);
    co_await wait_for(count.error(), std::min(deadline, std::chrono::steady_clock::now() + write_stall_timeout));
  }
}

namespace {

// Maps the result of recv or send.
std::expected<std::size_t, StreamStatus> outcome_of(ssize_t count, StreamStatus when_blocked) {
  if (count > 0) return static_cast<std::size_t>(count);
  const bool blocked = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return std::unexpected(blocked ? when_blocked : StreamStatus::closed);
}

}  // namespace

std::expected<std::size_t, StreamStatus> SocketStream::read(std::span<char> into) {
  return outcome_of(recv(socket_, into.data(), into.size(), 0), StreamStatus::want_read);
}

std::expected<std::size_t, StreamStatus> SocketStream::write(std::string_view bytes) {
  return outcome_of(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), StreamStatus::want_write);
}

void SocketStream::finish() { shutdown(socket_, SHUT_WR); }

}  // namespace portail
