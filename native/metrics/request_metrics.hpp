// How often each route was asked, what came of it, and how long that took. By the route's pattern, never by a path, so
// that the table of routes (core/api/routes.hpp) bounds how much is kept. Any thread.
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
  // `further_routes`, which only have GET, are the host's own; constants.
  explicit RequestMetrics(std::span<const std::string_view> further_routes = {});
  ~RequestMetrics();
  RequestMetrics(const RequestMetrics&) = delete;
  RequestMetrics& operator=(const RequestMetrics&) = delete;

  // Of a request that was answered. `route` is what the log calls it: a pattern, or "-" where none was reached.
  void answered(std::string_view method, std::string_view route, int status, std::chrono::microseconds spent);
  // Of one that was refused before its work began: counted, and not timed.
  void refused(std::string_view method, std::string_view route, int status);

  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const;

 private:
  struct Series;
  struct Families;

  [[nodiscard]] const Series& series_of(std::string_view method, std::string_view route) const;

  std::unique_ptr<Families> families_;
};

}  // namespace portail
