// Packet loss on connections of this process, as after the silent loss of a server or of the way to it. Linux.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace portail {

// Drops every packet that arrives from now on at this process's connections to `port`: the server's kernel and programs
// may be alive, but what is sent to them is never acknowledged. Returns the number of descriptors of such connections.
inline int lose_packets_from(std::uint16_t port) {
  sock_filter drop{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0};
  const sock_fprog program{.len = 1, .filter = &drop};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int number = std::stoi(entry.path().filename());
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(number, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sin_family != AF_INET ||
        ntohs(peer.sin_port) != port) {
      continue;
    }
    EXPECT_EQ(setsockopt(number, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
    ++count;
  }
  return count;
}

}  // namespace portail
