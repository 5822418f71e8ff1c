#include <gtest/gtest.h>

#include "native/server/admission.hpp"

namespace portail::server {
namespace {

IpAddress address(const char* text) { return *IpAddress::parse(text); }

TEST(Admission, LimitsTheTotal) {
  Admission admission({.max_connections = 2, .max_per_address = 2});
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("192.0.2.2"), true));
  EXPECT_FALSE(admission.admit(address("192.0.2.3"), false));
  EXPECT_FALSE(admission.admit(address("192.0.2.3"), true));
  admission.release(address("192.0.2.2"), true);
  EXPECT_TRUE(admission.admit(address("192.0.2.3"), false));
}

TEST(Admission, LimitsEachAddress) {
  Admission admission({.max_connections = 10, .max_per_address = 2});
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("::ffff:192.0.2.1"), false));
  EXPECT_FALSE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), true));
  admission.release(address("192.0.2.1"), true);
  EXPECT_FALSE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("192.0.2.2"), false));
  admission.release(address("192.0.2.1"), false);
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), false));
  EXPECT_FALSE(admission.admit(address("192.0.2.1"), false));
}

TEST(Admission, CountsASlash64NetworkAsOneAddress) {
  Admission admission({.max_connections = 10, .max_per_address = 1});
  EXPECT_TRUE(admission.admit(address("2001:db8:0:1::1"), false));
  EXPECT_FALSE(admission.admit(address("2001:db8:0:1:ffff::2"), false));
  EXPECT_TRUE(admission.admit(address("2001:db8:0:2::1"), false));
}

}  // namespace
}  // namespace portail::server
