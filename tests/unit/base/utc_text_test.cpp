#include <string>

#include <gtest/gtest.h>

#include "core/base/time.hpp"

namespace portail {
namespace {

TEST(UtcText, HasSixDigitsOfASecond) {
  EXPECT_EQ(utc_text({1'705'311'000'123'456}), "2024-01-15T09:30:00.123456Z");
  EXPECT_EQ(utc_text({0}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(utc_text({-1}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(utc_text({253'402'300'799'000'007}), "9999-12-31T23:59:59.000007Z");
}

TEST(UtcText, IsAppended) {
  std::string text = "at ";
  append_utc_text(text, {1'000'000});
  EXPECT_EQ(text, "at 1970-01-01T00:00:01.000000Z");
}

}  // namespace
}  // namespace portail
