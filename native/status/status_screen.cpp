#include "native/status/status_screen.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <string_view>

#include <ftxui/dom/elements.hpp>
#include <ftxui/screen/color.hpp>
#include <ftxui/screen/screen.hpp>

#include "core/base/printable.hpp"

namespace portail {
namespace {

// Heights in rows, with the frame.
constexpr int title_rows = 1;
constexpr int frame_rows = 2;
constexpr int requests_rows = frame_rows + 3;
constexpr int process_rows = frame_rows + 3;
constexpr int empty_routes_rows = frame_rows + 1;
constexpr int max_routes = 8;
constexpr int max_graph_height = 6;

// The parts of the screen that fit, and their heights.
struct Layout {
  int parts = 0;  // of the health; 0 means no box
  bool requests = false;
  bool process = false;
  bool routes_box = false;
  int routes = 0;
  int graph = 0;
};

Layout layout_of(const StatusScreen& screen, int rows) {
  Layout layout;
  int left = rows - title_rows;
  layout.parts = std::clamp(left - frame_rows, 0, static_cast<int>(screen.health.parts.size()));
  if (layout.parts > 0) left -= frame_rows + layout.parts;
  layout.requests = left >= requests_rows;
  if (layout.requests) left -= requests_rows;
  layout.process = left >= process_rows;
  if (layout.process) left -= process_rows;
  layout.routes_box = left >= empty_routes_rows;
  if (layout.routes_box) {
    left -= empty_routes_rows;
    layout.routes = std::min({left, max_routes, static_cast<int>(screen.stats.routes.size())});
    left -= layout.routes;
  }
  layout.graph = layout.requests ? std::clamp(left, 0, max_graph_height) : 0;
  return layout;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), written.ptr};
}

std::string rate(double value) { return fixed(value, value < 10 ? 1 : 0) + " a second"; }

std::string latency_text(const std::optional<double>& seconds) {
  if (!seconds) return "-";
  if (*seconds < 1) return fixed(*seconds * 1000, *seconds < 0.01 ? 2 : 0) + " ms";
  return fixed(*seconds, 2) + " s";
}

std::string bytes(double value) { return fixed(value / 1024 / 1024, 0) + " MiB"; }

// The duration in its two largest units.
std::string uptime_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  if (whole < 86'400) return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  return std::to_string(whole / 86'400) + " d " + std::to_string(whole % 86'400 / 3600) + " h";
}

std::string ratio_text(double now, double max) { return fixed(now, 0) + " of " + fixed(max, 0); }

float fraction(double now, double max) { return max > 0 ? static_cast<float>(std::min(now / max, 1.0)) : 0; }

ftxui::Color status_colour(std::string_view status) {
  if (status == "Healthy") return ftxui::Color::Green;
  return status == "Degraded" ? ftxui::Color::Yellow : ftxui::Color::Red;
}

// Applies colours, if they are enabled.
struct Painter {
  bool colours;

  ftxui::Decorator operator()(ftxui::Color colour) const { return colours ? ftxui::color(colour) : ftxui::nothing; }
};

ftxui::Element cell(std::string_view text, int width) {
  return ftxui::text(printable(text)) | ftxui::size(ftxui::WIDTH, ftxui::EQUAL, width);
}

ftxui::Element health_box(const HealthReport& health, int parts, const Painter& paint) {
  ftxui::Elements rows;
  for (const HealthReportPart& part : health.parts | std::views::take(parts)) {
    rows.push_back(ftxui::hbox({cell(part.name, 13), cell(part.status, 10) | paint(status_colour(part.status)),
                                ftxui::text(printable(part.detail)) | ftxui::flex}));
  }
  return window(ftxui::text(" health "), vbox(std::move(rows)));
}

ftxui::Element requests_box(const StatusScreen& screen, int height_of_graph, const Painter& paint) {
  const ServerStats& stats = screen.stats;
  const double max = screen.requests.empty() ? 0 : std::ranges::max(screen.requests);
  const auto curve = [&history = screen.requests, max](int width, int height) {
    std::vector<int> heights(static_cast<std::size_t>(std::max(width, 0)), 0);
    const std::size_t shown = std::min(heights.size(), history.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const double value = max > 0 ? history[history.size() - shown + i] / max : 0;
      heights[heights.size() - shown + i] = static_cast<int>(std::lround(value * height));
    }
    return heights;
  };
  return window(
      ftxui::text(" requests "),
      ftxui::vbox({
          ftxui::hbox({cell(rate(stats.requests), 18), cell("4xx " + fixed(stats.refused, 1), 12),
                       cell("5xx " + fixed(stats.failed, 1), 12) |
                           paint(stats.failed > 0 ? ftxui::Color(ftxui::Color::Red) : ftxui::Color()),
                       cell("shed " + fixed(stats.shed, 1), 12), cell("limited " + fixed(stats.limited, 1), 14)}),
          ftxui::text("p50 " + latency_text(stats.p50) + ", p99 " + latency_text(stats.p99)),
          ftxui::graph(curve) | paint(ftxui::Color::Green) | size(ftxui::HEIGHT, ftxui::EQUAL, height_of_graph),
          ftxui::text("at most " + rate(max)) | ftxui::dim,
      }));
}

ftxui::Element routes_box(const ServerStats& stats, int routes) {
  ftxui::Elements rows{ftxui::hbox({ftxui::text("route") | ftxui::flex, cell("a second", 12), cell("p99", 12)}) |
                       ftxui::dim};
  for (const RouteStats& route : stats.routes | std::views::take(routes)) {
    rows.push_back(ftxui::hbox({ftxui::text(printable(route.name)) | ftxui::flex, cell(fixed(route.requests, 1), 12),
                                cell(latency_text(route.p99), 12)}));
  }
  return window(ftxui::text(" routes "), vbox(std::move(rows)));
}

ftxui::Element measure(std::string_view name, double now, double max, const Painter& paint) {
  const float part = fraction(now, max);
  return ftxui::hbox({cell(name, 13), cell(ratio_text(now, max), 18),
                      ftxui::gauge(part) | paint(part > 0.8F ? ftxui::Color::Red : ftxui::Color::Green) | ftxui::flex});
}

ftxui::Element process_box(const ServerStats& stats, const Painter& paint) {
  return window(ftxui::text(" process "),
                ftxui::vbox({measure("connections", stats.connections, stats.max_connections, paint),
                             measure("open files", stats.open_files, stats.max_open_files, paint),
                             ftxui::hbox({cell("processors", 13), cell(fixed(stats.processors, 2), 18),
                                          ftxui::text("memory " + bytes(stats.memory))})}));
}

}  // namespace

std::string render_screen(const StatusScreen& screen) {
  const Painter paint{screen.colours};
  const ServerStats& stats = screen.stats;
  const std::string title =
      "portail " + stats.version + " at " + screen.address + ", runs for " + uptime_text(stats.uptime) + ", ";
  const Layout layout = layout_of(screen, ftxui::Dimension::Full().dimy - 1);
  ftxui::Elements boxes{ftxui::hbox({ftxui::text(printable(title)), ftxui::text(printable(screen.health.status)) |
                                                                        paint(status_colour(screen.health.status))})};
  if (layout.parts > 0) boxes.push_back(health_box(screen.health, layout.parts, paint));
  if (layout.requests) boxes.push_back(requests_box(screen, layout.graph, paint));
  if (layout.routes_box) boxes.push_back(routes_box(stats, layout.routes));
  if (layout.process) boxes.push_back(process_box(stats, paint));
  ftxui::Element document = vbox(std::move(boxes));
  auto canvas = ftxui::Screen::Create(ftxui::Dimension::Full(), ftxui::Dimension::Fit(document));
  Render(canvas, document);
  return canvas.ToString();
}

std::vector<std::pair<std::string, std::string>> status_lines(const StatusScreen& screen) {
  const ServerStats& stats = screen.stats;
  std::vector<std::pair<std::string, std::string>> lines{
      {"server", "portail " + stats.version + " at " + screen.address + ", runs for " + uptime_text(stats.uptime)},
      {"requests", rate(stats.requests) + ", 4xx " + fixed(stats.refused, 1) + ", 5xx " + fixed(stats.failed, 1) +
                       ", shed " + fixed(stats.shed, 1) + ", limited " + fixed(stats.limited, 1)},
      {"answered", "p50 " + latency_text(stats.p50) + ", p99 " + latency_text(stats.p99)},
      {"connections", ratio_text(stats.connections, stats.max_connections)},
      {"open files", ratio_text(stats.open_files, stats.max_open_files)},
      {"processors", fixed(stats.processors, 2)},
      {"memory", bytes(stats.memory)},
  };
  for (const RouteStats& route : stats.routes) {
    lines.emplace_back("route", route.name + ": " + rate(route.requests) + ", p99 " + latency_text(route.p99));
  }
  return lines;
}

}  // namespace portail
