#include <gtest/gtest.h>

#include "native/http/response_writer.hpp"

namespace portail {
namespace {

TEST(HttpDate, ParsesAnImfFixdateOnly) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  for (const std::string_view text :
       {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT", "Wed, 31 Feb 2024 08:49:37 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(HttpDate, FormatsWhatItParses) {
  EXPECT_EQ(HttpDate().format({784'111'777'999'999}), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace portail
