#include <gmock/gmock.h>

#include "native/server/address_range.hpp"

namespace portail::server {
namespace {

bool contains(std::string_view range, const std::string& address) {
  return AddressRange::parse(range).value().contains(IpAddress::parse(address).value());
}

TEST(AddressRange, ContainsAddressesWithThePrefix) {
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(contains("192.0.2.128/25", "192.0.2.200"));
  EXPECT_FALSE(contains("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(contains("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(contains("192.0.2.7", "192.0.2.6"));
  EXPECT_TRUE(contains("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(contains("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(contains("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(contains("2001:db8::/32", "2001:db9::1"));
  EXPECT_TRUE(contains("127.0.0.0/8", "::ffff:127.0.0.1"));
}

TEST(AddressRange, RejectsInvalidText) {
  for (const std::string_view text : {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "::/129", "localhost",
                                      "10.0.0.0/8 ", "10.0.0.0/8x"}) {
    EXPECT_FALSE(AddressRange::parse(text)) << text;
  }
}

TEST(IpAddress, DetectsLoopback) {
  for (const char* text : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IpAddress::parse(text)->is_loopback()) << text;
  }
  for (const char* text : {"0.0.0.0", "::", "128.0.0.1", "192.168.0.1"}) {
    EXPECT_FALSE(IpAddress::parse(text)->is_loopback()) << text;
  }
}

}  // namespace
}  // namespace portail::server
