#include "core/http/cors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/http/header_request.hpp"
#include "tests/unit/http/header_response.hpp"
#include "tests/unit/http/listed_origins.hpp"

namespace portail {
namespace {

TEST(Preflight, IsAnsweredByEcho) {
  const HeaderRequest request("OPTIONS", {{"Origin", "https://a.banque.fr"},
                                          {"Access-Control-Request-Method", "PUT"},
                                          {"Access-Control-Request-Headers", "authorization, content-type"}});
  auto answer = preflight_answer(request, listed_origins);
  ASSERT_TRUE(answer);
  add_cors_headers(*answer, request, listed_origins);
  EXPECT_EQ(answer->status, 204);
  EXPECT_EQ(body_text(*answer), "");
  EXPECT_EQ(only_header(*answer, "Access-Control-Allow-Origin"), "https://a.banque.fr");
  EXPECT_EQ(only_header(*answer, "Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(only_header(*answer, "Access-Control-Allow-Methods"), "PUT");
  EXPECT_EQ(only_header(*answer, "Access-Control-Allow-Headers"), "authorization, content-type");
  EXPECT_EQ(only_header(*answer, "Access-Control-Max-Age"), "7200");
}

TEST(Preflight, EchoesOnlyRequestedHeaders) {
  const HeaderRequest request("OPTIONS",
                              {{"Origin", "http://localhost:4200"}, {"Access-Control-Request-Method", "GET"}});
  const auto answer = preflight_answer(request, listed_origins);
  ASSERT_TRUE(answer);
  EXPECT_EQ(only_header(*answer, "Access-Control-Allow-Headers"), std::nullopt);
}

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

TEST(CorsHeaders, GoToAllowedOriginsOnly) {
  Response response;
  response.status = 304;
  add_cors_headers(response, HeaderRequest{{"Origin", "https://portal.example.com"}}, listed_origins);
  EXPECT_EQ(only_header(response, "Access-Control-Allow-Origin"), "https://portal.example.com");
  EXPECT_EQ(only_header(response, "Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(only_header(response, "Access-Control-Expose-Headers"),
            "_AbpErrorFormat, ETag, Content-Disposition, X-Correlation-Id, WWW-Authenticate, Retry-After, "
            "RateLimit-Policy, RateLimit");

  Response other;
  add_cors_headers(other, HeaderRequest{{"Origin", "https://evil.fr"}}, listed_origins);
  add_cors_headers(other, HeaderRequest{}, listed_origins);
  EXPECT_THAT(other.headers, ::testing::IsEmpty());
}

}  // namespace
}  // namespace portail
