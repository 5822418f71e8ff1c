// ByteStream over a connected, non-blocking TCP socket without TLS. Does not own the socket.
#pragma once

#include "native/http/byte_stream.hpp"

namespace portail {

class SocketStream final : public ByteStream {
 public:
  explicit SocketStream(int socket) : socket_(socket) {}

  std::expected<std::size_t, StreamStatus> read(std::span<char> into) override;
  std::expected<std::size_t, StreamStatus> write(std::string_view bytes) override;
  void finish() override;

 private:
  int socket_;
};

}  // namespace portail
