#include "native/http/socket_stream.hpp"

#include <cerrno>

#include <sys/socket.h>

namespace portail {
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
