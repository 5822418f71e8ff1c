// Counts requests and their durations by route pattern, method and status. The table of routes (core/api/routes.hpp)
// bounds the number of series. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace portail {

class RequestMetrics {
 public:
  // `extra_routes` are the host's own routes, with GET only; constants.
  explicit RequestMetrics(std::span<const std::string_view> extra_routes = {});
  ~RequestMetrics();
  RequestMetrics(const RequestMetrics&) = delete;
  RequestMetrics& operator=(const RequestMetrics&) = delete;

  // Counts and times an answered request. `route` is its pattern as in the log, or "-" if none matched.
  void record_answered(std::string_view method, std::string_view route, int status, std::chrono::microseconds duration);
  // Counts a request that was rejected before processing; it is not timed.
  void record_refused(std::string_view method, std::string_view route, int status);

  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const;

 private:
  struct Series;
  struct Families;

  [[nodiscard]] const Series& series_of(std::string_view method, std::string_view route) const;

  std::unique_ptr<Families> families_;
};

}  // namespace portail
