// A socket that listens on a free port of the loopback. The kernel accepts its connections, also if accept() is not
// called. One thread.
#pragma once

#include <cstdint>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

class LoopbackListener {
 public:
  LoopbackListener() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(bind(number(), reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(listen(number(), 8), 0);
    EXPECT_EQ(getsockname(number(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }

  [[nodiscard]] int number() const { return socket_.number(); }
  [[nodiscard]] std::uint16_t port() const { return ntohs(address_.sin_port); }
  // Returns a new connection to this socket.
  [[nodiscard]] Descriptor connect() const {
    Descriptor client(socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(client.number(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
    return client;
  }

 private:
  Descriptor socket_{socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address_{};
};

}  // namespace portail
