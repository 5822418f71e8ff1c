#include <string>

#include <gtest/gtest.h>

#include "core/http/response.hpp"

namespace portail {
namespace {

RequestSummary summary_of_a_read() {
  RequestSummary summary;
  summary.route = "/api/app/liasse/{id}";
  summary.subject = "sub-1";
  summary.client = "front";
  summary.entity = "L-1";
  summary.correlation_id = "c-1";
  summary.access = "managed bundle";
  return summary;
}

std::string access_line(const RequestLine& request) {
  std::string members;
  append_access_line(members, request);
  return members;
}

TEST(AccessLine, SaysWhoReadWhat) {
  const RequestSummary summary = summary_of_a_read();
  EXPECT_EQ(access_line({"GET", summary, 200, "0123", ",\"traceId\":\"t\""}),
            R"(,"event":"access","access":"managed bundle","correlationId":"c-1","traceId":"t","method":"GET",)"
            R"("route":"/api/app/liasse/{id}","entity":"L-1","status":200,"client":"front","subject":"0123")");
}

TEST(AccessLine, SaysWhyARequestWasRefused) {
  RequestSummary summary;
  summary.correlation_id = "c-2";
  summary.access = "refused";
  summary.reason = Reason::no_token;
  EXPECT_EQ(access_line({"GET", summary, 401, {}}),
            R"(,"event":"access","access":"refused","correlationId":"c-2","method":"GET","route":"-","entity":null,)"
            R"("status":401,"reason":"No bearer token was sent","client":null,"subject":null)");
}

TEST(AccessLine, IsJsonWhateverTheRequestContains) {
  RequestSummary summary = summary_of_a_read();
  summary.entity = "\xff\"\n";
  const std::string line = access_line({std::string(40, 'M'), summary, 200, {}});
  EXPECT_TRUE(line.contains(R"("entity":"?\"\n")"));
  EXPECT_TRUE(line.contains("\"method\":\"" + std::string(32, 'M') + "\""));
}

TEST(AccessLine, IsNeededForReadsOfManagersAndRefusals) {
  RequestSummary summary = summary_of_a_read();
  EXPECT_TRUE(needs_access_line(summary, 200, true));
  summary.access = "refused";
  EXPECT_TRUE(needs_access_line(summary, 403, true));
  EXPECT_FALSE(needs_access_line(summary, 401, true)) << "the request line has its reason";
  EXPECT_TRUE(needs_access_line(summary, 401, false));
  EXPECT_FALSE(needs_access_line(summary, 503, true));
  EXPECT_TRUE(needs_access_line(summary, 503, false));
  summary.access = {};
  EXPECT_FALSE(needs_access_line(summary, 200, false));
}

TEST(RequestLines, HaveStatusReasonAndTime) {
  RequestSummary summary = summary_of_a_read();
  std::string members;
  append_request_line(members, {"GET", summary, 200, "0123"}, 42);
  EXPECT_EQ(members,
            R"(,"correlationId":"c-1","method":"GET","route":"/api/app/liasse/{id}","status":200,"microseconds":42,)"
            R"("subject":"0123")");
  summary.reason = Reason::expired;
  members.clear();
  append_request_line(members, {"GET", summary, 401, {}}, 7);
  EXPECT_TRUE(members.ends_with(R"("status":401,"reason":"The token has expired","microseconds":7,"subject":null)"));
}

}  // namespace
}  // namespace portail
