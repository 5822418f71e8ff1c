// docs/reference/contract.md, "Requests: order of checks". Each case breaks two adjacent rules, and expects the answer
// of the first.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

constexpr std::string_view good_body = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel"})";

std::string client() { return token(fill("$RUN-client")); }
std::string admin() { return token(fill("$RUN-admin")); }
std::string object_path() { return fill("/api/app/objet-courrier/$31"); }

TEST(OrderOfChecks, FramingBeforeTransport) {
  checks("Requests: order of checks, framing before transport");
  PORTAIL_REQUIRE(environment().forwarded, "PORTAIL_CONTRACT_FORWARDED_URL");
  EXPECT_EQ(get("/api/app/liasse").send(*environment().forwarded).status, 403);
  EXPECT_EQ(get("/api/app/liasse/%zz").send(*environment().forwarded).status, 400);
}

TEST(OrderOfChecks, FramingBefore401) {
  checks("Requests: order of checks, framing before 401");
  for (const char* target : {"/api/app/liasse/%2F", "/api/app/../liasse", "/api/app/liasse/%zz"})
    EXPECT_EQ(get(target).send().status, 400) << target;
}

TEST(OrderOfChecks, TransportBeforePreflight) {
  checks("Requests: order of checks, transport before preflight");
  PORTAIL_REQUIRE(environment().forwarded, "PORTAIL_CONTRACT_FORWARDED_URL");
  PORTAIL_REQUIRE(environment().allowed_origin, "PORTAIL_CONTRACT_ALLOWED_ORIGIN");
  Request preflight("OPTIONS", "/api/app/liasse");
  preflight.header("Origin", *environment().allowed_origin).header("Access-Control-Request-Method", "GET");
  EXPECT_EQ(preflight.send(*environment().forwarded).status, 403);
  EXPECT_EQ(preflight.header("X-Forwarded-Proto", "https").send(*environment().forwarded).status, 204);
}

TEST(OrderOfChecks, AnAnonymousCallerLearnsNothingBut401) {
  checks("Requests: order of checks, 401 before route");
  for (const char* target :
       {"/api/app/no-such-route", "/api/app/objet-courrier/007", "/api/app/objet-courrier/9007199254740991",
        "/api/app/objet-courrier/$00", "/api/app/liasse/$RUN-complet", "/api/app/liasse/$RUN-absente",
        "/api/app/liasse/dashboard-list", "/api/app/objet-courrier?SkipCount=-1", "/API/APP/liasse/a/b/c"}) {
    SCOPED_TRACE(target);
    expect_anonymous_refused(get(fill(target)).send());
    expect_token_refused(get(fill(target)).bearer("a.b.c").send());
    expect_anonymous_refused(get(fill(target)).header("If-None-Match", "*").send());
  }
  for (const char* method : {"PATCH", "DELETE", "POST", "TRACE", "OPTIONS"})
    EXPECT_EQ(Request(method, "/api/app/liasse").send().status, 401) << method;
  EXPECT_EQ(Request("POST", "/api/app/objet-courrier").send().status, 401);
  EXPECT_EQ(Request("DELETE", "/api/app/objet-courrier/1").send().status, 401);
}

TEST(OrderOfChecks, RouteBeforePermission) {
  checks("Requests: order of checks, route before permission");
  EXPECT_EQ(put("/api/app/objet-courrier/007", good_body).bearer(client()).send().status, 404);
  EXPECT_EQ(Request("PATCH", object_path()).body(good_body).bearer(client()).send().status, 405);
  EXPECT_EQ(Request("PUT", "/api/app/liasse/dashboard-list").bearer(client()).body("").send().status, 405);
}

TEST(OrderOfChecks, PermissionBeforeEntity) {
  checks("Requests: order of checks, permission before entity");
  EXPECT_EQ(put("/api/app/objet-courrier/9007199254740991", good_body).bearer(client()).send().status, 403);
}

TEST(OrderOfChecks, EntityBeforeOwnership) {
  checks("Requests: order of checks, entity before ownership");
  EXPECT_EQ(get(fill("/api/app/liasse/$RUN-absente")).bearer(client()).send().status, 404);
  EXPECT_EQ(get(fill("/api/app/liasse/$RUN-hors")).bearer(client()).send().status, 403);
}

TEST(OrderOfChecks, EntityBefore415) {
  checks("Requests: order of checks, entity before 415");
  const Reply reply =
      Request("PUT", "/api/app/objet-courrier/9007199254740991").body("x", "text/plain").bearer(admin()).send();
  expect_error(reply, 404, {"There is no entity ObjetCourrier with id = 9007199254740991!"});
}

TEST(OrderOfChecks, MediaTypeBeforeSize) {
  checks("Requests: order of checks, 415 before 413");
  expect_error(Request("PUT", object_path()).body(std::string(70'000, 'x'), "text/plain").bearer(admin()).send(), 415);
  expect_error(Request("PUT", object_path()).chunked(std::string(70'000, 'x'), "text/plain").bearer(admin()).send(),
               415);
}

TEST(OrderOfChecks, SizeBeforeContent) {
  checks("Requests: order of checks, 413 before 400");
  expect_error(put(object_path(), std::string(70'000, 'x')).bearer(admin()).send(), 413);
  expect_error(Request("PUT", object_path()).chunked(std::string(70'000, 'x')).bearer(admin()).send(), 413);
}

TEST(OrderOfChecks, ContentBeforePrecondition) {
  checks("Requests: order of checks, 400 before 412");
  expect_validation_error(put(object_path(), "{").header("If-Match", "\"other\"").bearer(admin()).send(), {""});
  expect_validation_error(put(object_path(), "{}").header("If-Match", "\"other\"").bearer(admin()).send(),
                          {"utilisablePourLiasse", "typeAffectation"});
}

TEST(OrderOfChecks, PreconditionBeforeWork) {
  checks("Requests: order of checks, 412 before work");
  const std::string before = get(object_path()).bearer(client()).send().body;
  expect_error(put(object_path(), good_body).header("If-Match", "\"other\"").bearer(admin()).send(), 412);
  EXPECT_EQ(get(object_path()).bearer(client()).send().body, before);
}

TEST(OrderOfChecks, AnAnonymousBodyIsNeverParsed) {
  checks("Requests: order of checks, an anonymous body is never parsed");
  for (const std::string& body : {std::string("{"), std::string(good_body), std::string(70'000, 'x')}) {
    expect_anonymous_refused(put(object_path(), body).send());
    expect_anonymous_refused(Request("PUT", object_path()).body(body, "text/plain").send());
    expect_anonymous_refused(Request("POST", "/api/app/objet-courrier").body(body).send());
    expect_token_refused(put(object_path(), body).bearer("a.b.c").send());
  }
}

TEST(OrderOfChecks, AnAnonymousBodyIsNotAwaited) {
  checks("Requests: order of checks, an anonymous body is never parsed");
  Connection connection(environment().base);
  connection.send(Request("PUT", object_path())
                      .header("Content-Type", "application/json")
                      .header("Content-Length", "100")
                      .bytes(environment().base));
  EXPECT_EQ(connection.receive().status, 401);
}

}  // namespace
}  // namespace portail::contract
