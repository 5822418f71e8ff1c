#include <gmock/gmock.h>

#include "native/status/server_stats.hpp"

namespace portail {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

constexpr std::string_view earlier = R"(# HELP portail_requests_total Requests.
# TYPE portail_requests_total counter
portail_requests_total{method="GET",route="/a",status="2xx"} 100
portail_requests_total{method="GET",route="/a",status="5xx"} 1
portail_requests_total{method="PUT",route="/b",status="4xx"} 7
portail_request_duration_seconds_bucket{method="GET",route="/a",le="0.1"} 100
portail_request_duration_seconds_bucket{method="GET",route="/a",le="1"} 101
portail_request_duration_seconds_bucket{method="GET",route="/a",le="+Inf"} 101
process_cpu_seconds_total 1.5
process_start_time_seconds 1000
)";
constexpr std::string_view later = R"(portail_build_info{version="1.2.3",compiler="GNU \"14\"",system="Linux x86_64"} 1
portail_requests_total{method="GET",route="/a",status="2xx"} 180
portail_requests_total{method="GET",route="/a",status="5xx"} 21
portail_requests_total{method="PUT",route="/b",status="4xx"} 7
portail_request_duration_seconds_bucket{method="GET",route="/a",le="0.1"} 180
portail_request_duration_seconds_bucket{method="GET",route="/a",le="1"} 201
portail_request_duration_seconds_bucket{method="GET",route="/a",le="+Inf"} 201
portail_connections 3
portail_connections_max 8192
process_cpu_seconds_total 2.5
process_resident_memory_bytes 1.048576e+07
process_start_time_seconds 1000
)";

TEST(MetricsSnapshot, ParsesSamples) {
  const MetricsSnapshot reading(later);
  ASSERT_EQ(reading.samples().size(), 12u);
  EXPECT_EQ(reading.samples()[0].label("compiler"), "GNU \"14\"");
  EXPECT_EQ(reading.samples()[0].label("none"), "");
  EXPECT_THAT(reading.value("process_resident_memory_bytes"), Optional(10485760.0));
  EXPECT_EQ(reading.value("portail_connections_total"), std::nullopt);
  EXPECT_EQ(reading.sum("portail_requests_total"), 208);
  EXPECT_EQ(reading.sum("portail_requests_total", {{"route", "/a"}, {"status", "5xx"}}), 21);
}

TEST(MetricsSnapshot, IgnoresInvalidLines) {
  for (const std::string_view text : {"", "\n\n", "# HELP x y", "x", "x y", "x{", "x{a=\"b", "x{a=\"b\"}", "x{a=b} 1",
                                      "x{a=\"b\"}1", "<html>no</html>"}) {
    EXPECT_TRUE(MetricsSnapshot(text).samples().empty()) << text;
  }
}

TEST(ServerStats, BetweenTwoSnapshots) {
  const ServerStats stats = compute_stats(MetricsSnapshot(earlier), MetricsSnapshot(later), 10, 4600);
  EXPECT_EQ(stats.version, "1.2.3");
  EXPECT_EQ(stats.uptime, 3600);
  EXPECT_EQ(stats.requests, 10);
  EXPECT_EQ(stats.failed, 2);
  EXPECT_EQ(stats.refused, 0);
  EXPECT_EQ(stats.processors, 0.1);
  EXPECT_EQ(stats.connections, 3);
  EXPECT_EQ(stats.max_connections, 8192);
  // 80 of the 100 within 0.1 s, the others within 1 s.
  EXPECT_THAT(stats.p50, Optional(DoubleNear(0.0625, 1e-9)));
  EXPECT_THAT(stats.p99, Optional(DoubleNear(0.955, 1e-9)));
  ASSERT_EQ(stats.routes.size(), 1u);
  EXPECT_EQ(stats.routes[0].name, "GET /a");
  EXPECT_EQ(stats.routes[0].requests, 10);
  EXPECT_THAT(stats.routes[0].p99, Optional(DoubleNear(0.955, 1e-9)));
}

TEST(ServerStats, SinceStartup) {
  const ServerStats stats = compute_stats({}, MetricsSnapshot(later), 0, 1104);
  EXPECT_EQ(stats.requests, 2);
  ASSERT_EQ(stats.routes.size(), 2u);
  EXPECT_EQ(stats.routes[0].name, "GET /a");
  EXPECT_EQ(stats.routes[1].name, "PUT /b");
  EXPECT_EQ(stats.routes[1].p99, std::nullopt);
}

TEST(ServerStats, AfterARestart) {
  const ServerStats stats = compute_stats(MetricsSnapshot(later), MetricsSnapshot(earlier), 10, 1104);
  EXPECT_EQ(stats.requests, 0);
  EXPECT_EQ(stats.p50, std::nullopt);
  EXPECT_TRUE(stats.routes.empty());
}

TEST(ServerStats, HealthIsRead) {
  const auto health =
      parse_health_report(R"({"status":"Degraded","parts":{"keys":{"status":"Degraded","detail":"old"}}})");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->status, "Degraded");
  ASSERT_EQ(health->parts.size(), 1u);
  EXPECT_EQ(health->parts[0].detail, "old");
  for (const std::string_view text : {"", "[]", "{}", R"({"parts":{"store":"Healthy"}})"})
    EXPECT_FALSE(parse_health_report(text));
}

}  // namespace
}  // namespace portail
