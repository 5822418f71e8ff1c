#include "native/telemetry/request_metrics.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include "core/api/routes.hpp"

namespace portail {
namespace {

constexpr std::string_view no_route = "-";
constexpr std::string_view other_method = "other";
constexpr std::array status_classes{"2xx", "3xx", "4xx", "5xx"};
// The specified 500 is not a failure of the service, so it is not counted in 5xx.
constexpr std::string_view specified_status = "agreed 500";

prometheus::Histogram::BucketBoundaries upper_bounds() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};
}

}  // namespace

// The series of one method of a route.
struct RequestMetrics::Series {
  std::string_view method;
  std::array<prometheus::Counter*, status_classes.size()> by_class{};
  prometheus::Counter* specified = nullptr;  // only of a method that is answered, but not allowed
  prometheus::Histogram* seconds = nullptr;

  void count(int status) const {
    if (specified && status == 500) return specified->Increment();
    by_class.at(static_cast<std::size_t>(std::clamp(status / 100, 2, 5)) - 2)->Increment();
  }
};

struct RequestMetrics::Families {
  // The last entry of `methods` counts all other methods.
  struct RouteSeries {
    std::string_view route;
    std::vector<Series> methods;
  };

  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("portail_requests_total")
          .Help(
              "Requests answered, by route (- if none matched), method (HEAD counts as GET) and class of status; "
              "agreed "
              "500 is the specified answer to POST and DELETE of a mail object.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds =
      prometheus::BuildHistogram()
          .Name("portail_request_duration_seconds")
          .Help(
              "Time from the end of a request's head to the end of its answer, without requests shed, limited or "
              "malformed.")
          .Register(registry);
  std::vector<RouteSeries> routes;  // the last entry counts requests without a route

  RouteSeries& add(std::string_view route) { return routes.emplace_back(RouteSeries{.route = route, .methods = {}}); }

  void add_method(RouteSeries& entry, std::string_view method, bool is_allowed) {
    const prometheus::Labels labels{{"route", std::string(entry.route)}, {"method", std::string(method)}};
    const auto counter = [&](std::string_view status) {
      prometheus::Labels with_status = labels;
      with_status.emplace("status", status);
      return &requests.Add(with_status);
    };
    Series series{.method = method};
    std::ranges::transform(status_classes, series.by_class.begin(), counter);
    if (!is_allowed) series.specified = counter(specified_status);
    series.seconds = &seconds.Add(labels, upper_bounds());
    entry.methods.push_back(series);
  }
};

RequestMetrics::RequestMetrics(std::span<const std::string_view> extra_routes)
    : families_(std::make_unique<Families>()) {
  for (const Route& route : all_routes()) {
    Families::RouteSeries& entry = families_->add(route.pattern.text());
    for (const MethodEndpoint& method : route.methods) families_->add_method(entry, method.method, method.is_allowed);
    families_->add_method(entry, other_method, true);
  }
  for (const std::string_view route : extra_routes) {
    Families::RouteSeries& entry = families_->add(route);
    families_->add_method(entry, "GET", true);
    families_->add_method(entry, other_method, true);
  }
  families_->add_method(families_->add(no_route), other_method, true);
}

RequestMetrics::~RequestMetrics() = default;

void RequestMetrics::record_answered(std::string_view method, std::string_view route, int status,
                                     std::chrono::microseconds duration) {
  const Series& series = series_of(method, route);
  series.count(status);
  series.seconds->Observe(std::chrono::duration<double>(duration).count());
}

void RequestMetrics::record_refused(std::string_view method, std::string_view route, int status) {
  series_of(method, route).count(status);
}

std::vector<prometheus::MetricFamily> RequestMetrics::collect() const { return families_->registry.Collect(); }

const RequestMetrics::Series& RequestMetrics::series_of(std::string_view method, std::string_view route) const {
  const auto& routes = families_->routes;
  const auto entry = std::ranges::find(routes, route, &Families::RouteSeries::route);
  const auto& methods = (entry == routes.end() ? routes.back() : *entry).methods;
  const auto found = std::ranges::find(methods, method == "HEAD" ? "GET" : method, &Series::method);
  return found == methods.end() ? methods.back() : *found;
}

}  // namespace portail
