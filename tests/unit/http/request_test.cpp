#include "core/http/request.hpp"

#include <gtest/gtest.h>

#include "tests/unit/http/headers.hpp"

namespace portail {
namespace {

TEST(Headers, AreFoundWithoutRegardToCase) {
  const HeaderRequest request{{"Host", "h"}, {"IF-Match", "1"}, {"if-match", "2"}};
  EXPECT_EQ(find_header(request, "If-Match"), "1");
  EXPECT_EQ(count_headers(request, "If-Match"), 2U);
  EXPECT_EQ(find_header(request, "If-Matc"), std::nullopt);
  EXPECT_EQ(count_headers(request, "If-Matc"), 0U);
}

}  // namespace
}  // namespace portail
