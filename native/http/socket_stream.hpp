// ByteStream over a connected TCP socket, in clear. The socket does not block, and stays its owner's to close.
#pragma once

#include "native/http/byte_stream.hpp"

namespace portail {

class SocketStream final : public ByteStream {
 public:
  explicit SocketStream(int socket) : socket_(socket) {}

  std::expected<std::size_t, Stall> read(std::span<char> into) override;
  std::expected<std::size_t, Stall> write(std::string_view bytes) override;
  void finish() override;

 private:
  int socket_;
};

}  // namespace portail
