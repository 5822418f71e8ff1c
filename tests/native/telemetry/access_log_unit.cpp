#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "native/telemetry/access_log.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock, std::chrono::milliseconds;

TEST(AccessLog, LimitsTheLinesOfRefusedRequestsInASecond) {
  testing::internal::CaptureStderr();
  JsonLog log(LogLevel::info);
  AccessLog access_log(log, "key", true);
  RequestSummary summary;
  summary.correlation_id = "c-1";
  summary.reason = Reason::address_rate;
  const auto refuse = [&](int times, milliseconds at) {
    for (int i = 0; i < times; ++i) {
      access_log.record_refused({.method = "GET", .summary = summary, .span = std::nullopt, .status = 429},
                                steady_clock::time_point(at));
    }
  };
  refuse(5, milliseconds(7000));
  refuse(25, milliseconds(7999));
  refuse(3, milliseconds(8000));
  log.flush();
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(lines, '\n'), AccessLog::max_refused_lines + 3);
  EXPECT_EQ(AccessLog::max_refused_lines, 10);
  EXPECT_TRUE(lines.ends_with(
      R"("correlationId":"c-1","method":"GET","route":"-","status":429,"reason":"The address exceeds its rate limit",)"
      R"("microseconds":0,"subject":null})"
      "\n"))
      << lines;
}

TEST(AccessLog, RefusedRequestsHaveNoLineIfRequestsHaveNone) {
  testing::internal::CaptureStderr();
  JsonLog log(LogLevel::info);
  AccessLog access_log(log, "key", false);
  const RequestSummary summary;
  access_log.record_refused({.method = "GET", .summary = summary, .span = std::nullopt, .status = 429}, {});
  log.flush();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace portail
