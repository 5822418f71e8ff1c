// docs/reference/contract.md, "Requests": routes, path matching, {id}, query, paging, methods.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string client() { return token(fill("$RUN-client")); }
std::string manager() { return token(fill("$RUN-manager"), {{"roles", json_string(fill("$RUN-gestionnaire"))}}); }

Reply read(std::string_view target) { return get(fill(target)).bearer(client()).send(); }

TEST(Routes, TheNineOfTheSeed) {
  checks("Requests: routes, the nine of the interface");
  EXPECT_EQ(read("/api/app/objet-courrier").status, 200);
  EXPECT_EQ(read("/api/app/objet-courrier/list-all").status, 200);
  EXPECT_EQ(read("/api/app/objet-courrier/$00").status, 200);
  const Reply updated =
      put(fill("/api/app/objet-courrier/$20"), R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})")
          .bearer(token(fill("$RUN-admin")))
          .send();
  EXPECT_EQ(updated.status, 200) << describe(updated);
  EXPECT_EQ(Request("POST", "/api/app/objet-courrier").body("{}").bearer(client()).send().status, 500);
  EXPECT_EQ(Request("DELETE", fill("/api/app/objet-courrier/$20")).bearer(client()).send().status, 500);
  EXPECT_EQ(read("/api/app/liasse").status, 200);
  EXPECT_EQ(read("/api/app/liasse/$RUN-complet").status, 200);
  EXPECT_EQ(get("/api/app/liasse/dashboard-list").bearer(manager()).send().status, 200);
}

TEST(Routes, TheTemplateFile) {
  checks("Requests: routes, the template file");
  const Reply reply = read("/api/app/objet-courrier/$00/fichier-modele");
  EXPECT_EQ(reply.status, 200) << describe(reply);
  EXPECT_EQ(reply.body, cni_template());
}

TEST(PathMatching, LiteralSegmentsWithoutRegardToCase) {
  checks("Requests: path matching, ASCII case");
  EXPECT_EQ(read("/API/App/Objet-COURRIER/$00").body, fill("$O00"));
  EXPECT_EQ(read("/api/app/OBJET-courrier/LIST-ALL").status, 200);
  EXPECT_EQ(read("/api/app/objet-courrier/$00/Fichier-Modele").status, 200);
  EXPECT_EQ(get("/api/app/Liasse/Dashboard-List").bearer(manager()).send().status, 200);
  // Only literal segments ignore case: identifiers are compared exactly.
  EXPECT_EQ(read("/api/app/LIASSE/$RUN-complet").status, 200);
  EXPECT_EQ(read("/api/app/liasse/$RUN-COMPLET").status, 404);
  EXPECT_EQ(get("/API/APP/liasse").send().status, 401);
}

TEST(PathMatching, OneTrailingSlash) {
  checks("Requests: path matching, one trailing slash");
  EXPECT_EQ(read("/api/app/objet-courrier/$00/").body, fill("$O00"));
  EXPECT_EQ(read("/api/app/liasse/").status, 200);
  EXPECT_EQ(read("/api/app/objet-courrier/?MaxResultCount=1").status, 200);
  EXPECT_EQ(read("/api/app/objet-courrier/$00//").status, 404);
  EXPECT_EQ(read("/api/app/liasse//").status, 404) << "no empty id";
  EXPECT_EQ(read("/api/app//objet-courrier/$00").status, 404);
}

TEST(PathMatching, PercentDecodedOnce) {
  checks("Requests: path matching, percent-decoded once per segment");
  EXPECT_EQ(read("/api/%61pp/objet%2Dcourrier/%6cist-all").status, 200);
  EXPECT_EQ(read("/api/app/liasse/$RUN%2dcomplet").status, 200);
  EXPECT_EQ(read("/api/app/liasse/%64ashboard-list").status, 403) << "the literal route, not a bundle of that name";
  EXPECT_EQ(read("/api/%2561pp/objet-courrier").status, 404) << "not decoded twice";
  EXPECT_EQ(read("/api/app/liasse/$RUN%252Dcomplet").status, 404);
}

TEST(PathMatching, MalformedSegmentsReachNoRoute) {
  checks("Requests: path matching, malformed segments");
  for (const char* target :
       {"/api/app/objet-courrier%2Flist-all", "/api/app/objet-courrier/$00%2Ffichier-modele", "/api/app/liasse/a%2fb",
        "/api/app/objet-courrier/$00%00", "/api/app/liasse/%00", "/api/app/liasse/%zz", "/api/app/liasse/%2",
        "/api/app/liasse/%", "/api/app/liasse/%ff", "/api/app/liasse/%c0%af", "/api/app/liasse/%ed%a0%80",
        "/api/app/./objet-courrier", "/api/app/liasse/../objet-courrier", "/api/app/liasse/%2e%2e/objet-courrier",
        "/api/app/liasse/%2E", "/api/app/liasse/..", "/api/app/liasse/."}) {
    SCOPED_TRACE(target);
    const Reply reply = read(target);
    EXPECT_EQ(reply.status, 400) << describe(reply);
    EXPECT_EQ(reply.header("_AbpErrorFormat"), "true");
    EXPECT_EQ(reply.header("Content-Type"), json_content_type);
  }
}

TEST(PathMatching, AnAbsoluteFormIsItsPath) {
  checks("Requests: target, absolute-form");
  if (environment().host_parses_http) GTEST_SKIP() << "PORTAIL_CONTRACT_HOST_PARSES_HTTP is 1";
  const std::string base = "http://" + environment().base.authority();
  const auto answer = [](const std::string& target) {
    Connection connection(environment().base);
    connection.send("GET " + target + " HTTP/1.1\r\nHost: " + environment().base.authority() + "\r\n\r\n");
    return connection.receive();
  };
  const Reply root = answer("/");
  for (const std::string& target : {base, base + "/", base + "?a=b", "HTTPS" + base.substr(4)}) {
    SCOPED_TRACE(target);
    const Reply reply = answer(target);
    EXPECT_EQ(reply.status, root.status);
    EXPECT_EQ(reply.header("Location"), root.header("Location"));
    EXPECT_EQ(reply.body, root.body);
  }
  EXPECT_EQ(answer(base + "/health/live").status, 200);
  EXPECT_EQ(answer(base + "/api/app/liasse").status, 401);
  for (const char* target : {"http://", "http:///health/live", "http://?a", "http://:80/health/live",
                             "http://[]/health/live", "http://user@host/", "http://a b/", "*"}) {
    EXPECT_EQ(answer(target).status, 400) << target;
  }
}

TEST(PathMatching, ABackslashIsTextInAQueryOnly) {
  checks("Requests: query values, a raw backslash");
  // As Node's fetch sends it.
  const Reply reply = read("/api/app/objet-courrier?Filter=$RUN-a\\b");
  EXPECT_EQ(reply.body, R"({"totalCount":0,"items":[]})") << describe(reply);
  EXPECT_EQ(reply.body, read("/api/app/objet-courrier?Filter=$RUN-a%5Cb").body);
  EXPECT_EQ(read("/api/app/objet-courrier/$00?\\").body, fill("$O00"));
}

TEST(MailObjectId, CanonicalDecimalDigits) {
  checks("Requests: {id} of a mail object");
  const ExpectedError unknown{"There is no entity ObjetCourrier with id = 9007199254740991!"};
  expect_error(read("/api/app/objet-courrier/9007199254740991"), 404, unknown);
  expect_error(read("/api/app/objet-courrier/0"), 404, {"There is no entity ObjetCourrier with id = 0!"});
  const std::string id = fill("$00");
  EXPECT_EQ(read("/api/app/objet-courrier/" + id.substr(0, 1) + "%3" + id.substr(1, 1) + id.substr(2)).body,
            fill("$O00"));
  for (const std::string& wrong :
       {"0" + id, "+" + id, "-" + id, id + ".0", id + "e0", "%20" + id, id + "%20", std::string("9007199254740992"),
        std::string("18446744073709551616"), std::string("00"), std::string("0x1"), std::string("abc"),
        std::string("-0"), std::string("%D9%A1")}) {  // an Arabic-Indic digit
    SCOPED_TRACE(wrong);
    for (const std::string& rest : {std::string(), std::string("/fichier-modele")}) {
      const Reply reply = read("/api/app/objet-courrier/" + wrong + rest);
      expect_error(reply, 404);
      EXPECT_EQ(reply.body.find("There is no entity"), std::string::npos) << "a wrong endpoint, not a missing entity";
    }
  }
}

TEST(Query, NamesWithoutRegardToCase) {
  checks("Requests: query names, case");
  const std::string expected = read("/api/app/objet-courrier?SkipCount=1&MaxResultCount=2").body;
  EXPECT_EQ(read("/api/app/objet-courrier?skipCount=1&maxResultCount=2").body, expected);
  EXPECT_EQ(read("/api/app/objet-courrier?SKIPCOUNT=1&mAXrESULTcOUNT=2").body, expected);
  EXPECT_EQ(read("/api/app/objet-courrier?%53kipCount=%31&MaxResultCount=2").body, expected);
  EXPECT_NE(read("/api/app/objet-courrier?MaxResultCount=2").body, expected);
}

TEST(Query, UnknownNamesAreIgnored) {
  checks("Requests: query names, unknown");
  const std::string expected = read("/api/app/objet-courrier?MaxResultCount=2").body;
  EXPECT_EQ(read("/api/app/objet-courrier?Order=description&MaxResultCount=2&Filters=x&x").body, expected);
  EXPECT_EQ(read("/api/app/objet-courrier/$00?MaxResultCount=0").body, fill("$O00"));
}

TEST(Query, TheFirstOfARepeatedNameCounts) {
  checks("Requests: query names, repeated");
  const std::string expected = read("/api/app/objet-courrier?MaxResultCount=2").body;
  EXPECT_EQ(read("/api/app/objet-courrier?MaxResultCount=2&maxresultcount=5").body, expected);
  EXPECT_EQ(read("/api/app/objet-courrier?MaxResultCount=2&MaxResultCount=none").body, expected);
  EXPECT_EQ(read("/api/app/objet-courrier?MaxResultCount=none&MaxResultCount=2").status, 400);
}

// By the names of the description's query parameters (core/api/documents/open_api.json).
TEST(Query, AnEmptyValue) {
  checks("Requests: query values, empty");
  const std::string list = "/api/app/objet-courrier";
  for (const auto& [path, name] : std::vector<std::pair<std::string, std::string>>{
           {list, "Sorting"},
           {list, "Filter"},
           {"/api/abp/application-configuration", "includeLocalizationResources"},
           {"/api/abp/application-localization", "onlyDynamics"},
           {"/api/abp/application-localization", "cultureName"},
           {"/api/abp/api-definition", "includeTypes"}}) {
    const Reply without = read(path);
    for (const char* value : {"=", ""}) {
      const Reply empty = read(path + "?" + name + value);
      EXPECT_EQ(empty.status, 200) << name << value;
      EXPECT_EQ(empty.body, without.body) << name << value;
    }
  }
  for (const char* name : {"SkipCount", "MaxResultCount"}) {
    for (const char* value : {"=", ""}) EXPECT_EQ(read(list + "?" + name + value).status, 400) << name << value;
  }
}

TEST(Paging, Defaults) {
  checks("Requests: paging, defaults");
  const Reply reply = read("/api/app/objet-courrier");
  EXPECT_EQ(reply.body, read("/api/app/objet-courrier?SkipCount=0&MaxResultCount=10").body);
  EXPECT_EQ(at(parsed(reply), {"items"}).get<picojson::array>().size(), 10U);
  EXPECT_EQ(read("/api/app/objet-courrier?MaxResultCount=3").body,
            read("/api/app/objet-courrier?SkipCount=0&MaxResultCount=3").body);
}

TEST(Paging, Bounds) {
  checks("Requests: paging, bounds");
  EXPECT_EQ(read("/api/app/objet-courrier?MaxResultCount=1").status, 200);
  EXPECT_EQ(read("/api/app/objet-courrier?MaxResultCount=1000").status, 200);
  const Reply beyond = read("/api/app/objet-courrier?SkipCount=2147483647");
  EXPECT_EQ(beyond.status, 200) << describe(beyond);
  EXPECT_TRUE(beyond.body.ends_with(R"(,"items":[]})")) << beyond.body;
  for (const char* wrong : {"0", "-1", "1001", "2147483648", "99999999999999999999", "abc", "1.5", "1e1", "0x10"}) {
    SCOPED_TRACE(wrong);
    expect_validation_error(read("/api/app/objet-courrier?MaxResultCount=" + std::string(wrong)), {"maxResultCount"});
  }
  for (const std::string& wrong : {std::string("-1"), std::string("2147483648"), std::string("-2147483649"),
                                   std::string("abc"), std::string("1.0"), std::string(309, '9')}) {
    SCOPED_TRACE(wrong);
    expect_validation_error(read("/api/app/objet-courrier?SkipCount=" + wrong), {"skipCount"});
  }
  expect_validation_error(read("/api/app/objet-courrier?SkipCount=-1&MaxResultCount=0"),
                          {"skipCount", "maxResultCount"});
}

// All headers except those of one message or of framing.
std::string comparable_headers(const Reply& reply) {
  std::string text;
  for (const Header& each : reply.headers) {
    bool skipped = false;
    for (const char* name :
         {"Date", "X-Correlation-Id", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"})
      skipped = skipped || equal_ignoring_case(each.name, name);
    if (!skipped) text += each.name + ": " + each.value + "\n";
  }
  return text;
}

TEST(Methods, GetAlsoAnswersHead) {
  checks("Requests: methods, HEAD");
  for (const char* target :
       {"/api/app/objet-courrier?MaxResultCount=2", "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/$00",
        "/api/app/objet-courrier/$00/fichier-modele", "/api/app/liasse", "/api/app/liasse/$RUN-complet",
        "/api/app/liasse/$RUN-absente", "/api/app/objet-courrier?SkipCount=-1", "/api/abp/application-configuration",
        "/health/live", "/health/ready", "/swagger/v1/swagger.json"}) {
    SCOPED_TRACE(target);
    const Reply whole = read(target);
    // A separate connection: a body after the headers would be the beginning of the second answer.
    Connection connection(environment().base);
    connection.send(head(fill(target)).bearer(client()).bytes(environment().base));
    const Reply reply = connection.receive(true);
    EXPECT_EQ(reply.status, whole.status);
    EXPECT_EQ(comparable_headers(reply), comparable_headers(whole));
    if (reply.has("Content-Length")) {
      EXPECT_EQ(reply.header("Content-Length"), std::to_string(whole.body.size()));
    }
    if (equal_ignoring_case(reply.header("Connection"), "close")) {
      EXPECT_TRUE(connection.closed_by_peer()) << "a body after HEAD";
    } else {
      connection.send(get("/health/live").bytes(environment().base));
      EXPECT_EQ(connection.receive().status, 200);
    }
  }
}

TEST(Methods, MailObjectsAreNeitherCreatedNorDeleted) {
  checks("Requests: methods, POST and DELETE");
  const ExpectedError refused{.code = "PortailClients:ObjetsCourrierNonModifiables"};
  expect_error(Request("POST", "/api/app/objet-courrier").body(R"({"id":1})").bearer(client()).send(), 500, refused);
  expect_error(Request("POST", "/api/app/objet-courrier").body("not JSON", "text/plain").bearer(client()).send(), 500,
               refused);
  expect_error(Request("DELETE", fill("/api/app/objet-courrier/$29")).bearer(client()).send(), 500, refused);
  expect_error(Request("DELETE", fill("/api/app/objet-courrier/$29")).bearer(token(fill("$RUN-admin"))).send(), 500,
               refused);
  EXPECT_EQ(read("/api/app/objet-courrier/$29").status, 200);
  expect_error(Request("DELETE", "/api/app/objet-courrier/007").bearer(client()).send(), 404);
}

TEST(Methods, OthersAreNotAllowed) {
  checks("Requests: methods, 405 and Allow");
  struct Case {
    const char* method;
    const char* target;
    const char* allow;
  };
  for (const Case& each : {Case{"PUT", "/api/app/objet-courrier", "GET, HEAD"},
                           {"DELETE", "/api/app/objet-courrier", "GET, HEAD"},
                           {"PATCH", "/api/app/objet-courrier/$00", "GET, HEAD, PUT"},
                           {"POST", "/api/app/objet-courrier/$00", "GET, HEAD, PUT"},
                           {"OPTIONS", "/api/app/objet-courrier/$00", "GET, HEAD, PUT"},
                           {"POST", "/api/app/objet-courrier/list-all", "GET, HEAD"},
                           {"PUT", "/api/app/objet-courrier/$00/fichier-modele", "GET, HEAD"},
                           {"POST", "/api/app/liasse", "GET, HEAD"},
                           {"PUT", "/api/app/liasse/$RUN-complet", "GET, HEAD"},
                           {"DELETE", "/api/app/liasse/$RUN-complet", "GET, HEAD"},
                           {"DELETE", "/api/app/liasse/dashboard-list", "GET, HEAD"},
                           {"POST", "/api/abp/application-configuration", "GET, HEAD"},
                           {"POST", "/health/ready", "GET, HEAD, OPTIONS"},
                           {"DELETE", "/swagger/v1/swagger.json", "GET, HEAD"}}) {
    SCOPED_TRACE(std::string(each.method) + " " + each.target);
    const Reply reply = Request(each.method, fill(each.target)).body("").bearer(client()).send();
    expect_error(reply, 405);
    EXPECT_EQ(reply.header("Allow"), each.allow);
  }
}

// HAProxy's check is OPTIONS by default, over HTTP/1.0 without Host.
TEST(Methods, OptionsOfAProbeAreItsGet) {
  checks("Requests: methods, OPTIONS");
  for (const char* target : {"/health/live", "/health/ready", "/health-status", "/health/ready?a=b"}) {
    SCOPED_TRACE(target);
    const Reply probed = get(target).send();
    EXPECT_EQ(probed.status, 200);
    for (const bool is_old : {false, true}) {
      if (is_old && environment().host_parses_http) continue;
      Connection connection(environment().base);
      std::string bytes = Request("OPTIONS", target).bytes(environment().base);
      if (is_old) bytes = std::string("OPTIONS ") + environment().base.prefix + target + " HTTP/1.0\r\n\r\n";
      connection.send(bytes);
      const Reply reply = connection.receive();
      EXPECT_EQ(reply.status, 200) << describe(reply);
      EXPECT_EQ(reply.body, probed.body);
      EXPECT_EQ(reply.header("Allow"), "GET, HEAD, OPTIONS");
    }
  }
}

TEST(Methods, OptionsOfTheHost) {
  checks("Requests: methods, OPTIONS");
  if (environment().host_parses_http) GTEST_SKIP() << "PORTAIL_CONTRACT_HOST_PARSES_HTTP is 1";
  const std::string host = "Host: " + environment().base.authority() + "\r\n";
  Connection connection(environment().base);
  for (const std::string& fields : {host, host + "Authorization: Bearer x\r\n", host + "Origin: https://a.test\r\n"}) {
    connection.send("OPTIONS * HTTP/1.1\r\n" + fields + "\r\n");
    const Reply reply = connection.receive();
    EXPECT_EQ(reply.status, 204) << describe(reply);
    EXPECT_EQ(reply.header("Allow"), "GET, HEAD, PUT, OPTIONS");
    EXPECT_EQ(reply.body, "");
    expect_common_headers(reply);
  }
  connection.send("OPTIONS http://" + environment().base.authority() + " HTTP/1.1\r\n" + host + "\r\n");
  EXPECT_EQ(connection.receive().header("Allow"), "GET, HEAD, PUT, OPTIONS");
  connection.send("GET * HTTP/1.1\r\n" + host + "\r\n");
  EXPECT_EQ(connection.receive().status, 400);
}

TEST(Methods, SmallLettersMakeAnotherMethod) {
  checks("Requests: methods, 405 and Allow");
  if (environment().host_knows_methods) GTEST_SKIP() << "PORTAIL_CONTRACT_HOST_KNOWS_METHODS is 1";
  const Reply reply = Request("get", fill("/api/app/objet-courrier/$00")).body("").bearer(client()).send();
  expect_error(reply, 405);
  EXPECT_EQ(reply.header("Allow"), "GET, HEAD, PUT");
}

}  // namespace
}  // namespace portail::contract
