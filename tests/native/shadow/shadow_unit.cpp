#include <gmock/gmock.h>

#include "native/shadow/compare.hpp"
#include "native/shadow/compare_json.hpp"
#include "native/shadow/recorded_request.hpp"
#include "native/shadow/report.hpp"

namespace portail::shadow {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view bundle = R"({"id":"L-1","nomDossier":"Prêt","creationDate":"2024-01-15T10:30:00+01:00",)"
                                    R"("completion":66.66666666666667,"piecesAttendues":[],"montantOpportunite":1.10})";

ComparedAnswer json_answer(std::string_view body, int status = 200) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json; charset=utf-8"}, {"Vary", "Origin, Accept"}},
          .body = std::string(body)};
}

// Returns "row, location" of each difference of two bodies.
std::vector<std::string> differences(std::string_view target, std::string_view portal, std::string_view upstream,
                                     int status = 200) {
  const auto request = compared_request("GET", target);
  std::vector<std::string> found;
  for (const auto& each : compare_answers(*request, json_answer(portal, status), json_answer(upstream, status)))
    found.push_back(std::string(each.row) + ", " + each.location);
  return found;
}

std::string replaced(std::string_view text, std::string_view old, std::string_view by) {
  std::string result(text);
  const std::size_t at = result.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return result.replace(at, old.size(), by);
}

TEST(CanonicalDecimal, IsEqualForEqualValues) {
  for (const std::string_view one : {"1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "1.000"})
    EXPECT_EQ(canonical_decimal(one), "1e0") << one;
  for (const std::string_view zero : {"0", "-0", "0.00", "0e9", "-0.0E-3"})
    EXPECT_EQ(canonical_decimal(zero), "0") << zero;
  EXPECT_EQ(canonical_decimal("150000.00"), "15e4");
  EXPECT_EQ(canonical_decimal("-0.0120"), "-12e-3");
}

TEST(CanonicalDecimal, IsExact) {
  EXPECT_NE(canonical_decimal("9007199254740993"), canonical_decimal("9007199254740992"));
  EXPECT_NE(canonical_decimal("0.10000000000000000555"), canonical_decimal("0.1"));
  EXPECT_NE(canonical_decimal("1"), canonical_decimal("-1"));
  EXPECT_EQ(canonical_decimal("1e99999999999999999999"), "1e4611686018427387903");
  EXPECT_EQ(canonical_decimal("1e-99999999999999999999"), "1e-4611686018427387903");
}

TEST(Comparison, FindsEachMember) {
  constexpr std::string_view target = "/api/app/liasse/L-1";
  EXPECT_THAT(differences(target, bundle, bundle), IsEmpty());
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "1.10", "1.1")), IsEmpty());
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "1.10", "1.11")),
              ElementsAre("Answers: montantOpportunite, body /montantOpportunite"));
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "1.10", "null")),
              ElementsAre("Answers: montantOpportunite, body /montantOpportunite"));
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "66.66666666666667", "66.666666666666671")), IsEmpty());
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "66.66666666666667", "66.6667")),
              ElementsAre("Answers: completion, body /completion"));
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "10:30:00+01:00", "09:30:00.000Z")), IsEmpty());
  EXPECT_THAT(differences(target, bundle, replaced(bundle, "10:30:00+01:00", "10:30:00")),
              ElementsAre("Answers: creationDate, body /creationDate"));
  EXPECT_THAT(differences(target, bundle, "[]"), ElementsAre("Answers: JSON text, body"));
}

TEST(Comparison, PairsTheElementsOfLists) {
  constexpr std::string_view target = "/api/app/objet-courrier/list-all";
  constexpr std::string_view list = R"([{"id":1},{"id":2},{"id":3}])";
  EXPECT_THAT(differences(target, list, R"([{"id":1.0},{"id":2e0},{"id":3}])"), IsEmpty());
  EXPECT_THAT(differences(target, list, R"([{"id":2},{"id":1},{"id":3}])"), ElementsAre("Answers: list-all, body"));
  EXPECT_THAT(differences(target, list, R"([{"id":1},{"id":3}])"), ElementsAre("Answers: list-all, body /1"));
  EXPECT_THAT(differences(target, list, R"([{"id":1},{"id":2},{"id":3},{"id":3}])"),
              ElementsAre("Answers: list-all, body /3"));
  EXPECT_THAT(differences(target, list, R"([{"id":3},{"id":4},{"id":2,"x":1}])"),
              ElementsAre("Answers: list-all, body /0", "Answers: list-all, body /1", "Answers: list-all, body",
                          "Answers: mail object, body /1/x"));
  EXPECT_THAT(differences(target, "[1,{}]", "[{},2]"),
              ElementsAre("Answers: list-all, body /0", "Answers: list-all, body /1"));
}

TEST(Comparison, OfAnythingEndsWithDifferencesOnly) {
  for (const std::string_view body :
       {"", "{", "[", "\"", "nul", "{\"a\"}", "{\"id\":1,\"id\":1}", "\xff", "\xef\xbb\xbf{}", "[1e999]", "{}x"}) {
    EXPECT_THAT(differences("/api/app/liasse/L-1", bundle, body), ElementsAre("Answers: JSON text, body")) << body;
    EXPECT_THAT(differences("/api/app/liasse/L-1", body, bundle), ElementsAre("Answers: JSON text, body")) << body;
  }
  for (const std::string_view body : {"null", "true", "1", "\"\"", "[]"})
    EXPECT_THAT(differences("/api/app/liasse/L-1", bundle, body), ElementsAre("Answers: JSON text, body")) << body;
}

// An upstream decides how much there is to compare.
TEST(Comparison, OfTooMuchIsOneDifference) {
  constexpr std::string_view target = "/api/app/liasse";
  const auto list = [](std::size_t count, std::string_view element) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text.append(i > 0 ? "," : "").append(element);
    return text + ']';
  };
  const auto too_many = ElementsAre("Answers: JSON text, body, too many differences");
  EXPECT_EQ(differences(target, "[]", list(10'000, "1")).size(), 10'000U);
  EXPECT_THAT(differences(target, "[]", list(10'001, "1")), too_many);
  EXPECT_THAT(differences(target, list(10'001, "1"), "[]"), too_many);
  EXPECT_THAT(differences(target, list(200'000, "1"), list(200'000, "1")), IsEmpty());
  EXPECT_THAT(differences(target, "[]", list(200'001, "1")), too_many);
  EXPECT_THAT(differences(target, list(200'001, "1"), list(200'001, "1")), too_many);
  const std::string long_text = '"' + std::string(300, 'x') + '"';  // 200 are shown
  EXPECT_EQ(differences(target, "[]", list(9'000, long_text)).size(), 9'000U);

  std::string members(bundle.substr(0, bundle.size() - 1));
  for (std::size_t i = 0; i < 200'000; ++i) members += ",\"m" + std::to_string(i) + "\":1";
  EXPECT_THAT(differences("/api/app/liasse/L-1", bundle, members + '}'), too_many);
  // A deep difference has a long location.
  std::string deep = list(9'000, "1");
  for (int i = 0; i < 12; ++i) deep = "{\"" + std::string(64, 'm') + "\":" + deep + '}';
  EXPECT_THAT(differences("/api/app/liasse/L-1", replaced(bundle, "[]", replaced(deep, list(9'000, "1"), "[]")),
                          replaced(bundle, "[]", deep)),
              too_many);
}

TEST(Comparison, OfErrorsIsByTheirCode) {
  constexpr std::string_view absent =
      R"({"error":{"code":null,"message":"There is no entity","details":null,"data":{},"validationErrors":null}})";
  constexpr std::string_view target = "/api/app/liasse/L-1";
  EXPECT_THAT(differences(target, absent, absent, 404), IsEmpty());
  EXPECT_THAT(differences(target, absent, replaced(absent, "There", "Here"), 404),
              ElementsAre("Errors: 404 of an entity, body /error/message"));
  EXPECT_THAT(differences(target, absent, replaced(absent, "There", "Here"), 403), IsEmpty());
  EXPECT_THAT(differences("/api/app/none", absent, replaced(absent, "There", "Here"), 404), IsEmpty());
  EXPECT_THAT(differences(target, absent, replaced(absent, R"("code":null)", R"("code":"1")"), 404),
              ElementsAre("Errors: body and _AbpErrorFormat, body /error/code"));
  EXPECT_THAT(differences(target, absent, R"({"error":null})", 404),
              ElementsAre("Errors: body and _AbpErrorFormat, body /error"));
}

TEST(ComparedRequest, IsARouteOfTheInterface) {
  EXPECT_EQ(compared_request("GET", "/api/app/liasse/L-1")->route, "/api/app/liasse/{id}");
  EXPECT_EQ(compared_request("HEAD", "/API/app/Liasse/")->route, "/api/app/liasse");
  EXPECT_EQ(compared_request("GET", "/api/app/none/x")->route, "");
  EXPECT_EQ(request_text(*compared_request("GET", "/api/app/none/x")), "GET /api/app/…");
  EXPECT_TRUE(compared_request("GET", "/api/app/objet-courrier?sorting=id")->is_sorted);
  EXPECT_FALSE(compared_request("GET", "/api/app/objet-courrier?Sorting=")->is_sorted);
  for (const std::string_view target : {"/", "/health/live", "/swagger/index.html", "/api/other", "/page/x", "x", "/%"})
    EXPECT_FALSE(compared_request("GET", target)) << target;
  for (const std::string_view method : {"PUT", "POST", "DELETE", "OPTIONS", "get", ""})
    EXPECT_FALSE(compared_request(method, "/api/app/liasse")) << method;
}

TEST(RecordLine, HasNeitherTokenNorForeignParameters) {
  EXPECT_EQ(record_line({.method = "GET", .target = "/api/app/objet-courrier?skipcount=1&access_token=eyJ&Filter=a&x"}),
            R"({"method":"GET","target":"/api/app/objet-courrier?skipcount=1&Filter=a","token":true})");
  EXPECT_EQ(record_line({.method = "HEAD", .target = "/a?b=1", .accept_language = "fr\"", .has_token = false}),
            R"({"method":"HEAD","target":"/a","acceptLanguage":"fr\"","token":false})");
}

TEST(RequestLine, OfARecordIsReadBack) {
  const RecordedRequest request{.method = "GET", .target = "/a?Sorting=é", .accept_language = "fr", .has_token = false};
  const auto read = parse_request_line(record_line(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->method, "GET");
  EXPECT_EQ(read->target, "/a?Sorting=é");
  EXPECT_EQ(read->accept_language, "fr");
  EXPECT_FALSE(read->has_token);
}

TEST(RequestLine, OfALogHasTheIdOfAnAccessLineOnly) {
  const auto access = parse_request_line(
      R"(portail[1]: {"event":"access","method":"GET","route":"/api/app/liasse/{id}","entity":"L é/1","status":200})");
  ASSERT_TRUE(access);
  EXPECT_EQ(access->target, "/api/app/liasse/L%20%C3%A9%2F1");
  EXPECT_EQ(parse_request_line(R"({"method":"GET","route":"/api/app/liasse/{id}"})").error(), Skip::no_target);
  EXPECT_EQ(parse_request_line(R"({"method":"PUT","route":"/api/app/objet-courrier/{id}"})").error(), Skip::method);
  EXPECT_EQ(parse_request_line(R"({"method":"GET","route":"-"})").error(), Skip::path);
  for (const std::string_view line :
       {"", "{", "{}", "[]", "\"", "\"GET\"", "\"GET /x\"", "GET /x HTTP/1.1", "\"G T /x HTTP/1.1\""})
    EXPECT_EQ(parse_request_line(line).error(), Skip::not_a_request) << line;
}

TEST(Latencies, GivePercentiles) {
  Latencies latencies;
  EXPECT_EQ(latencies.percentile(50), microseconds(0));
  for (int time = 1; time <= 60; ++time) latencies.record(microseconds(time));
  EXPECT_EQ(latencies.percentile(50), microseconds(30));
  EXPECT_EQ(latencies.percentile(99), microseconds(60));
  Latencies long_ones;
  for (const std::int64_t time : {0L, 1'000'000L, 1'000'000L, 4'000'000'000'000'000'000L})
    long_ones.record(microseconds(time));
  EXPECT_EQ(long_ones.percentile(25), microseconds(0));
  EXPECT_GE(long_ones.percentile(50), microseconds(1'000'000));
  EXPECT_LE(long_ones.percentile(50), microseconds(1'030'000));
  EXPECT_GE(long_ones.percentile(100), microseconds(4'000'000'000'000'000'000));
  EXPECT_EQ(long_ones.count(), 4U);
}

TEST(ShadowReport, ShowsNoOpaqueToken) {
  Report report({.show_values = true});
  auto request = *compared_request("GET", "/api/app/liasse/L-1");
  request.token = "opaque-token";
  const std::string echo = replaced(bundle, "Prêt", "of opaque-token");
  report.add(request, compare_answers(request, json_answer(bundle), json_answer(echo)),
             {.portal = microseconds(1), .upstream = microseconds(2)});
  EXPECT_THAT(report.json(), HasSubstr(R"x("portal":"\"Prêt\"","upstream":"(hidden)")x"));
  EXPECT_THAT(report.json(), Not(HasSubstr("opaque")));
  EXPECT_EQ(report.fault(), "1 difference");
}

}  // namespace
}  // namespace portail::shadow
