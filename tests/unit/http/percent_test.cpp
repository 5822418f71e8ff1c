#include <gtest/gtest.h>

#include "core/http/target.hpp"

namespace portail {
namespace {

TEST(PercentEncoded, EscapesAllButUnreservedCharacters) {
  EXPECT_EQ(percent_encoded("Az09-._~"), "Az09-._~");
  EXPECT_EQ(percent_encoded("a b/é%+"), "a%20b%2F%C3%A9%25%2B");
  EXPECT_EQ(percent_encoded(""), "");
}

}  // namespace
}  // namespace portail
