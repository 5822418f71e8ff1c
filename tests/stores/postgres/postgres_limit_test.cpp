#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "tests/stores/connections.hpp"

namespace portail {
namespace {

// Both ends of a connection.
struct Ends {
  Descriptor sender{-1};
  Descriptor receiver{-1};
  std::size_t sent = 0;

  // Returns after the bytes have arrived. Nothing reads them.
  void send_bytes(std::size_t count) {
    sent += count;
    ASSERT_EQ(send(sender.number(), std::string(count, 'x').data(), count, 0), static_cast<ssize_t>(count));
    std::string arrived(sent, '\0');
    ASSERT_EQ(recv(receiver.number(), arrived.data(), arrived.size(), MSG_PEEK | MSG_WAITALL),
              static_cast<ssize_t>(sent));
  }
};

Ends tcp_connection() {
  const LoopbackListener listener;
  Descriptor sender = listener.connect();
  return {.sender = std::move(sender), .receiver = Descriptor(accept(listener.number(), nullptr, nullptr))};
}

TEST(PostgresReceiveLimit, CountsTheBytesThatArriveFromItsStartOn) {
  Ends ends = tcp_connection();
  ends.send_bytes(5000);
  postgres::ReceiveLimit limit;
  for (int i = 0; i < 2; ++i) {
    limit.restart(1000);
    EXPECT_FALSE(limit.exceeds_limit(ends.receiver.number()));
    EXPECT_FALSE(limit.exceeds_limit(ends.receiver.number())) << "it does not count here";
    ends.send_bytes(1000);
    EXPECT_FALSE(limit.exceeds_limit(ends.receiver.number()));
    ends.send_bytes(1);
    EXPECT_TRUE(limit.exceeds_limit(ends.receiver.number()));
  }
}

// The kernel has no count of such a socket: each time, libpq may receive what is unread, and at most 8 KiB.
TEST(PostgresReceiveLimit, AddsTheUnreadBytesOfAUnixDomainSocket) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  Ends ends{.sender = Descriptor(sockets[0]), .receiver = Descriptor(sockets[1])};
  ends.send_bytes(10'000);
  postgres::ReceiveLimit limit;
  limit.restart(16'384);
  EXPECT_FALSE(limit.exceeds_limit(ends.receiver.number())) << "8192 bytes";
  EXPECT_FALSE(limit.exceeds_limit(ends.receiver.number())) << "it does not count here";
  EXPECT_FALSE(limit.exceeds_limit(ends.receiver.number())) << "16,384 bytes";
  EXPECT_TRUE(limit.exceeds_limit(ends.receiver.number()));
}

}  // namespace
}  // namespace portail
