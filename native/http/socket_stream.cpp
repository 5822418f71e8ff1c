#include "native/http/socket_stream.hpp"

#include <cerrno>

#include <sys/socket.h>

namespace portail {
namespace {

// What recv or send came to: bytes, the end, or a reason to wait.
std::expected<std::size_t, Stall> outcome_of(ssize_t count, Stall when_blocked) {
  if (count > 0) return static_cast<std::size_t>(count);
  const bool blocked = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return std::unexpected(blocked ? when_blocked : Stall::ended);
}

}  // namespace

std::expected<std::size_t, Stall> SocketStream::read(std::span<char> into) {
  return outcome_of(recv(socket_, into.data(), into.size(), 0), Stall::until_readable);
}

std::expected<std::size_t, Stall> SocketStream::write(std::string_view bytes) {
  return outcome_of(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), Stall::until_writable);
}

void SocketStream::finish() { shutdown(socket_, SHUT_WR); }

}  // namespace portail
