#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "native/settings/serve_plan.hpp"

namespace portail {
namespace {

std::string address_of(SettingName setting, const std::string& text) {
  SettingValues values;
  values.set(*setting, {text}, SettingSource::flag);
  const auto read = read_address(values, setting);
  return read ? read->address + ' ' + std::to_string(read->port) : "refused";
}

TEST(ListenAddress, MissingPartsComeFromTheDefault) {
  for (const auto& [text, read] :
       {std::tuple{"127.0.0.1:1", "127.0.0.1 1"}, std::tuple{"0.0.0.0", "0.0.0.0 8443"},
        std::tuple{"[::1]", "::1 8443"}, std::tuple{"[::1]:0", "::1 0"}, std::tuple{"localhost", "127.0.0.1 8443"},
        std::tuple{"LocalHost:1", "127.0.0.1 1"}, std::tuple{"9000", "127.0.0.1 9000"}}) {
    EXPECT_EQ(address_of("listen", text), read) << text;
  }
}

TEST(ListenAddress, WithoutADefaultThePortIsRequired) {
  EXPECT_EQ(address_of("metrics-listen", "9464"), "127.0.0.1 9464");
  EXPECT_EQ(address_of("metrics-listen", "localhost:9464"), "127.0.0.1 9464");
  EXPECT_EQ(address_of("metrics-listen", "localhost"), "refused");
}

TEST(ListenAddress, RejectsHostNames) {
  for (const char* const text :
       {"", "::1", "65536", "99999999999", "127.0.0.1:", "[::1]:x", "[127.0.0.1]:1", "[::1", "portal.example"}) {
    EXPECT_EQ(address_of("listen", text), "refused") << text;
  }
}

}  // namespace
}  // namespace portail
