#include <string>

#include <gtest/gtest.h>

#include "native/server/listener.hpp"

namespace portail::server {
namespace {

// Not on another address, such as the wildcard address.
TEST(Listener, DoesNotListenOnAnAddressThatIsNotLiteral) {
  for (const std::string address : {"", "localhost", "portal.example", "127.0.0.256", "[::1]"}) {
    const auto listener = Listener::open(address, 0, "--listen");
    ASSERT_FALSE(listener) << address;
    EXPECT_EQ(listener.error(),
              "cannot listen on " + address + " port 0: this machine has no such address; choose another --listen");
  }
}

}  // namespace
}  // namespace portail::server
