// docs/reference/contract.md, "Transport".
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

Request bundles() { return get("/api/app/liasse").bearer(token(fill("$RUN-client"))); }

TEST(Transport, HealthIsExempt) {
  checks("Transport: health is exempt");
  PORTAIL_REQUIRE(environment().forwarded, "PORTAIL_CONTRACT_FORWARDED_URL");
  EXPECT_EQ(get("/health/live").send(*environment().forwarded).status, 200);
  EXPECT_EQ(get("/health/ready").send(*environment().forwarded).status, 200);
  for (const char* target :
       {"/api/app/liasse", "/api/abp/application-configuration", "/swagger/v1/swagger.json", "/nowhere"})
    expect_error(get(target).send(*environment().forwarded), 403);
}

TEST(Transport, DirectSendsStrictTransportSecurity) {
  checks("Transport: direct");
  PORTAIL_REQUIRE(environment().direct, "PORTAIL_CONTRACT_DIRECT_URL");
  for (const char* target : {"/api/app/liasse", "/health/live", "/api/app/liasse/%zz", "/nowhere"}) {
    const Reply reply = get(target).send(*environment().direct);
    EXPECT_TRUE(reply.header("Strict-Transport-Security").starts_with("max-age=")) << describe(reply);
    EXPECT_EQ(reply.count("Strict-Transport-Security"), 1U);
  }
  // A contradicting header has no effect.
  EXPECT_EQ(bundles().header("X-Forwarded-Proto", "http").send(*environment().direct).status, 200);
}

TEST(Transport, ForwardedNeedsExactlyOneProof) {
  checks("Transport: forwarded");
  PORTAIL_REQUIRE(environment().forwarded, "PORTAIL_CONTRACT_FORWARDED_URL");
  const BaseUrl& url = *environment().forwarded;
  EXPECT_EQ(bundles().header("X-Forwarded-Proto", "https").send(url).status, 200);
  EXPECT_EQ(bundles().header("Forwarded", "for=192.0.2.1;proto=https").send(url).status, 200);
  EXPECT_EQ(bundles().header("Forwarded", "proto=https").send(url).status, 200);
  EXPECT_EQ(bundles().header("Forwarded", "For=\"[2001:db8::1]\";Proto=https;by=x").send(url).status, 200);

  expect_error(bundles().send(url), 403);
  for (const char* value : {"http", "https, https", "https,http", "http, https", "", "httpsx", "wss"})
    expect_error(bundles().header("X-Forwarded-Proto", value).send(url), 403);
  expect_error(bundles().header("X-Forwarded-Proto", "https").header("X-Forwarded-Proto", "https").send(url), 403);
  expect_error(bundles().header("X-Forwarded-Proto", "https").header("X-Forwarded-Proto", "http").send(url), 403);
  for (const char* value :
       {"proto=http", "for=192.0.2.1", "for=\"proto=https\"", "xproto=https", "", R"(for="a;proto=https;b")"})
    expect_error(bundles().header("Forwarded", value).send(url), 403);
  expect_error(bundles().header("X-Forwarded-Scheme", "https").send(url), 403);
  // Anonymous and over plain HTTP: the error of the transport precedes 401.
  expect_error(get("/api/app/liasse").send(url), 403);
  EXPECT_EQ(get("/api/app/liasse").header("X-Forwarded-Proto", "https").send(url).status, 401);
}

TEST(Transport, ForwardedBelievesATrustedProxyOnly) {
  checks("Transport: forwarded, only from a trusted proxy");
  PORTAIL_REQUIRE(environment().forwarded_untrusted, "PORTAIL_CONTRACT_FORWARDED_UNTRUSTED_URL");
  const BaseUrl& url = *environment().forwarded_untrusted;
  expect_error(bundles().header("X-Forwarded-Proto", "https").send(url), 403);
  expect_error(bundles().header("Forwarded", "proto=https").send(url), 403);
  EXPECT_EQ(get("/health/live").send(url).status, 200);
}

TEST(Transport, LoopbackAcceptsPlainHttp) {
  checks("Transport: loopback");
  PORTAIL_REQUIRE(environment().loopback, "PORTAIL_CONTRACT_LOOPBACK_URL");
  const Reply reply = bundles().send(*environment().loopback);
  expect_json(reply, "[" + client_bundles() + "]");
  EXPECT_FALSE(reply.has("Strict-Transport-Security")) << "the request came without TLS (RFC 6797 section 7.2)";
}

TEST(Transport, NeverARedirect) {
  checks("Transport: never a redirect");
  if (environment().direct) {
    BaseUrl in_clear = *environment().direct;
    in_clear.tls = false;
    Connection connection(in_clear);
    connection.send(bundles().bytes(in_clear));
    const std::string answer = connection.receive_all();
    EXPECT_EQ(answer.find("Location:"), std::string::npos) << answer;
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 3")) << answer;
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 200")) << answer;
  }
  PORTAIL_REQUIRE(environment().forwarded, "PORTAIL_CONTRACT_FORWARDED_URL");
  for (const char* target : {"/", "/api/app/liasse", "/swagger", "/swagger/index.html"}) {
    const Reply reply = get(target).header("X-Forwarded-Proto", "http").send(*environment().forwarded);
    expect_error(reply, 403);  // which has no Location
  }
}

}  // namespace
}  // namespace portail::contract
