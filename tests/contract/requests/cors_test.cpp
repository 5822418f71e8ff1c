// docs/reference/contract.md, "Requests: CORS".
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

constexpr std::string_view exposed =
    "_AbpErrorFormat, ETag, Content-Disposition, X-Correlation-Id, WWW-Authenticate, Retry-After, "
    "RateLimit-Policy, RateLimit";

std::string client() { return token(fill("$RUN-client")); }

void expect_shared(const Reply& reply, std::string_view origin) {
  EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), origin) << describe(reply);
  EXPECT_EQ(reply.count("Access-Control-Allow-Origin"), 1U);
  EXPECT_EQ(reply.header("Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(reply.header("Access-Control-Expose-Headers"), exposed);
}

void expect_not_shared(const Reply& reply) {
  for (const Header& each : reply.headers)
    EXPECT_FALSE(each.name.size() > 14 && equal_ignoring_case(each.name.substr(0, 15), "Access-Control-"))
        << describe(reply);
}

TEST(Cors, OnlyConfiguredOrigins) {
  checks("Requests: CORS, configured origins only");
  PORTAIL_REQUIRE(environment().allowed_origin, "PORTAIL_CONTRACT_ALLOWED_ORIGIN");
  const std::string origin = *environment().allowed_origin;
  std::vector<std::string> refused = {"null",
                                      "*",
                                      "https://ailleurs.example",
                                      origin + ".example",
                                      origin + "/",
                                      origin + ":8443",
                                      "http" + origin.substr(origin.find(':'))};
  if (environment().allowed_domain) {
    const std::string& domain = *environment().allowed_domain;
    expect_shared(get("/api/app/liasse").header("Origin", "https://agence." + domain).bearer(client()).send(),
                  "https://agence." + domain);
    for (const std::string& wrong : {"https://" + domain, "http://agence." + domain, "https://faux" + domain,
                                     "https://agence." + domain + ".example", "https://agence." + domain + ":8443",
                                     "https://." + domain, "https://x@agence." + domain, "https://a/b." + domain})
      refused.push_back(wrong);
  }
  expect_shared(get("/api/app/liasse").header("Origin", origin).bearer(client()).send(), origin);
  for (const std::string& each : refused) {
    SCOPED_TRACE(each);
    expect_not_shared(get("/api/app/liasse").header("Origin", each).bearer(client()).send());
    expect_not_shared(Request("OPTIONS", "/api/app/liasse")
                          .header("Origin", each)
                          .header("Access-Control-Request-Method", "GET")
                          .send());
  }
  expect_not_shared(get("/api/app/liasse").bearer(client()).send());
}

TEST(Cors, Preflight) {
  checks("Requests: CORS, preflight");
  checks("Requests: order of checks, preflight before 401");
  PORTAIL_REQUIRE(environment().allowed_origin, "PORTAIL_CONTRACT_ALLOWED_ORIGIN");
  const std::string& origin = *environment().allowed_origin;
  for (const char* target : {"/api/app/objet-courrier/1", "/api/app/liasse", "/api/app/no-such-route", "/nowhere"}) {
    SCOPED_TRACE(target);
    const Reply reply = Request("OPTIONS", target)
                            .header("Origin", origin)
                            .header("Access-Control-Request-Method", "PUT")
                            .header("Access-Control-Request-Headers", "authorization,content-type,if-match")
                            .send();
    EXPECT_EQ(reply.status, 204) << describe(reply);
    EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), origin);
    EXPECT_EQ(reply.count("Access-Control-Allow-Origin"), 1u);
    EXPECT_EQ(reply.header("Access-Control-Allow-Methods"), "PUT");
    EXPECT_EQ(reply.header("Access-Control-Allow-Headers"), "authorization,content-type,if-match");
    EXPECT_EQ(reply.header("Access-Control-Max-Age"), "7200");
    EXPECT_FALSE(reply.has("WWW-Authenticate"));
    expect_common_headers(reply);
  }
  const Reply plain = Request("OPTIONS", "/api/app/liasse")
                          .header("Origin", origin)
                          .header("Access-Control-Request-Method", "GET")
                          .send();
  EXPECT_EQ(plain.status, 204) << describe(plain);
  EXPECT_EQ(plain.header("Access-Control-Allow-Methods"), "GET");
  EXPECT_FALSE(plain.has("Access-Control-Allow-Headers"));
  // Without Access-Control-Request-Method it is no preflight.
  expect_anonymous_refused(Request("OPTIONS", "/api/app/liasse").header("Origin", origin).send());
}

TEST(Cors, EveryOtherAnswer) {
  checks("Requests: CORS, every other answer");
  PORTAIL_REQUIRE(environment().allowed_origin, "PORTAIL_CONTRACT_ALLOWED_ORIGIN");
  const std::string& origin = *environment().allowed_origin;
  const auto ask = [&](Request request, int status) {
    const Reply reply = request.header("Origin", origin).send();
    EXPECT_EQ(reply.status, status) << describe(reply);
    expect_shared(reply, origin);
  };
  const std::string object = fill("/api/app/objet-courrier/$00");
  ask(get(object).bearer(client()), 200);
  ask(head(object).bearer(client()), 200);
  ask(get(object).bearer(client()).header("If-None-Match", "*"), 304);
  ask(get(object + "/fichier-modele").bearer(client()), 200);
  ask(get("/api/app/liasse/%2F"), 400);
  ask(get("/api/app/objet-courrier?SkipCount=-1").bearer(client()), 400);
  ask(get(object), 401);
  ask(get(object).bearer("not-a-token"), 401);
  ask(get("/api/app/liasse/dashboard-list").bearer(client()), 403);
  ask(get("/api/app/objet-courrier/9007199254740991").bearer(client()), 404);
  ask(get("/nowhere"), 404);
  ask(Request("DELETE", "/api/app/liasse").bearer(client()), 405);
  ask(Request("POST", "/api/app/objet-courrier").body("{}").bearer(client()), 500);
  ask(get("/api/abp/application-configuration"), 200);
  ask(get("/health/live"), 200);
}

}  // namespace
}  // namespace portail::contract
