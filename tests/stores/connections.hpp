// Connections of tests: to a listening socket of the loopback, and with packet loss. Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// A socket that listens on a free port of the loopback. The kernel accepts its connections, also if accept() is not
// called. One thread.
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

// Returns a port that was free during the call.
inline std::uint16_t free_port() { return LoopbackListener().port(); }

// Returns the descriptors of this process's connections to `port`.
inline std::vector<int> connections_to(std::uint16_t port) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int number = std::stoi(entry.path().filename());
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(number, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET &&
        ntohs(peer.sin_port) == port) {
      found.push_back(number);
    }
  }
  return found;
}

// Drops every packet that arrives from now on at this process's connections to `port`, as after the silent loss of a
// server or of the way to it: the server's kernel and programs may be alive, but what is sent to them is never
// acknowledged. Returns the number of descriptors of such connections.
inline std::size_t lose_packets_from(std::uint16_t port) {
  sock_filter drop{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0};
  const sock_fprog program{.len = 1, .filter = &drop};
  const std::vector<int> connections = connections_to(port);
  for (const int number : connections) {
    EXPECT_EQ(setsockopt(number, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
  }
  return connections.size();
}

// Returns after how many milliseconds unacknowledged bytes end the connection.
inline unsigned user_timeout_of(int connection) {
  unsigned timeout = 0;
  socklen_t size = sizeof timeout;
  EXPECT_EQ(getsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, &size), 0);
  return timeout;
}

}  // namespace portail
