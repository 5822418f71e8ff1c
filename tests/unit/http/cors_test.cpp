#include "core/http/cors.hpp"

#include <gtest/gtest.h>

#include "tests/unit/http/header_request.hpp"
#include "tests/unit/http/listed_origins.hpp"

namespace portail {
namespace {

TEST(Preflight, RequiresItsMethodAndHeaders) {
  const auto is_preflight = [](std::string_view method, std::initializer_list<HeaderView> headers) {
    return preflight_answer(HeaderRequest(method, headers), listed_origins).has_value();
  };
  const HeaderView origin{"Origin", "http://localhost:4200"};
  const HeaderView put_method{"Access-Control-Request-Method", "PUT"};
  EXPECT_TRUE(is_preflight("OPTIONS", {origin, put_method}));
  EXPECT_FALSE(is_preflight("GET", {origin, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {origin}));
  EXPECT_FALSE(is_preflight("OPTIONS", {put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {origin, origin, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {{"Origin", "https://evil.fr"}, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {{"Origin", "null"}, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {origin, {"Access-Control-Request-Method", "P\r\nX: y"}}));
}

}  // namespace
}  // namespace portail
