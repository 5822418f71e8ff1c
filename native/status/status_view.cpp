#include "native/status/status_view.hpp"

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

// In rows, with the frame.
constexpr int rows_of_title = 1;
constexpr int rows_of_frame = 2;
constexpr int rows_of_requests = rows_of_frame + 3;
constexpr int rows_of_process = rows_of_frame + 3;
constexpr int rows_of_no_routes = rows_of_frame + 1;
constexpr int most_routes = 8;
constexpr int highest_graph = 6;

// Which parts of the picture there is room for, and how much of each.
struct Layout {
  int parts = 0;  // of the health; 0: no box
  bool requests = false;
  bool process = false;
  bool routes_box = false;
  int routes = 0;
  int graph = 0;
};

Layout layout_of(const StatusPicture& picture, int rows) {
  Layout layout;
  int left = rows - rows_of_title;
  layout.parts = std::clamp(left - rows_of_frame, 0, static_cast<int>(picture.health.parts.size()));
  if (layout.parts > 0) left -= rows_of_frame + layout.parts;
  layout.requests = left >= rows_of_requests;
  if (layout.requests) left -= rows_of_requests;
  layout.process = left >= rows_of_process;
  if (layout.process) left -= rows_of_process;
  layout.routes_box = left >= rows_of_no_routes;
  if (layout.routes_box) {
    left -= rows_of_no_routes;
    layout.routes = std::min({left, most_routes, static_cast<int>(picture.figures.routes.size())});
    left -= layout.routes;
  }
  layout.graph = layout.requests ? std::clamp(left, 0, highest_graph) : 0;
  return layout;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), written.ptr};
}

std::string rate(double value) { return fixed(value, value < 10 ? 1 : 0) + " a second"; }

std::string time_of(const std::optional<double>& seconds) {
  if (!seconds) return "-";
  if (*seconds < 1) return fixed(*seconds * 1000, *seconds < 0.01 ? 2 : 0) + " ms";
  return fixed(*seconds, 2) + " s";
}

std::string bytes(double value) { return fixed(value / 1024 / 1024, 0) + " MiB"; }

// In the largest two units.
std::string long_time(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  if (whole < 86'400) return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  return std::to_string(whole / 86'400) + " d " + std::to_string(whole % 86'400 / 3600) + " h";
}

std::string of_most(double now, double most) { return fixed(now, 0) + " of " + fixed(most, 0); }

float share(double now, double most) { return most > 0 ? static_cast<float>(std::min(now / most, 1.0)) : 0; }

ftxui::Color colour_of_status(std::string_view status) {
  if (status == "Healthy") return ftxui::Color::Green;
  return status == "Degraded" ? ftxui::Color::Yellow : ftxui::Color::Red;
}

// Colours, where there may be any.
struct Painter {
  bool colours;

  ftxui::Decorator operator()(ftxui::Color colour) const { return colours ? ftxui::color(colour) : ftxui::nothing; }
};

ftxui::Element cell(std::string_view text, int width) {
  return ftxui::text(printable(text)) | ftxui::size(ftxui::WIDTH, ftxui::EQUAL, width);
}

ftxui::Element health_box(const ReadHealth& health, int parts, const Painter& paint) {
  ftxui::Elements rows;
  for (const ReadPart& part : health.parts | std::views::take(parts)) {
    rows.push_back(ftxui::hbox({cell(part.name, 13), cell(part.status, 10) | paint(colour_of_status(part.status)),
                                ftxui::text(printable(part.detail)) | ftxui::flex}));
  }
  return window(ftxui::text(" health "), vbox(std::move(rows)));
}

ftxui::Element requests_box(const StatusPicture& picture, int height_of_graph, const Painter& paint) {
  const StatusFigures& figures = picture.figures;
  const double most = picture.requests.empty() ? 0 : std::ranges::max(picture.requests);
  const auto curve = [&history = picture.requests, most](int width, int height) {
    std::vector<int> heights(static_cast<std::size_t>(std::max(width, 0)), 0);
    const std::size_t shown = std::min(heights.size(), history.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const double value = most > 0 ? history[history.size() - shown + i] / most : 0;
      heights[heights.size() - shown + i] = static_cast<int>(std::lround(value * height));
    }
    return heights;
  };
  return window(
      ftxui::text(" requests "),
      ftxui::vbox({
          ftxui::hbox({cell(rate(figures.requests), 18), cell("4xx " + fixed(figures.refused, 1), 12),
                       cell("5xx " + fixed(figures.failed, 1), 12) |
                           paint(figures.failed > 0 ? ftxui::Color(ftxui::Color::Red) : ftxui::Color()),
                       cell("shed " + fixed(figures.shed, 1), 12), cell("limited " + fixed(figures.limited, 1), 14)}),
          ftxui::text("half within " + time_of(figures.usual) + ", 99 % within " + time_of(figures.late)),
          ftxui::graph(curve) | paint(ftxui::Color::Green) | size(ftxui::HEIGHT, ftxui::EQUAL, height_of_graph),
          ftxui::text("at most " + rate(most)) | ftxui::dim,
      }));
}

ftxui::Element routes_box(const StatusFigures& figures, int routes) {
  ftxui::Elements rows{
      ftxui::hbox({ftxui::text("route") | ftxui::flex, cell("a second", 12), cell("99 % within", 12)}) | ftxui::dim};
  for (const RouteFigures& route : figures.routes | std::views::take(routes)) {
    rows.push_back(ftxui::hbox({ftxui::text(printable(route.name)) | ftxui::flex, cell(fixed(route.requests, 1), 12),
                                cell(time_of(route.late), 12)}));
  }
  return window(ftxui::text(" routes "), vbox(std::move(rows)));
}

ftxui::Element measure(std::string_view name, double now, double most, const Painter& paint) {
  const float part = share(now, most);
  return ftxui::hbox({cell(name, 13), cell(of_most(now, most), 18),
                      ftxui::gauge(part) | paint(part > 0.8F ? ftxui::Color::Red : ftxui::Color::Green) | ftxui::flex});
}

ftxui::Element process_box(const StatusFigures& figures, const Painter& paint) {
  return window(ftxui::text(" process "),
                ftxui::vbox({measure("connections", figures.connections, figures.most_connections, paint),
                             measure("open files", figures.files, figures.most_files, paint),
                             ftxui::hbox({cell("processors", 13), cell(fixed(figures.processors, 2), 18),
                                          ftxui::text("memory " + bytes(figures.memory))})}));
}

}  // namespace

std::string drawn(const StatusPicture& picture) {
  const Painter paint{picture.colours};
  const StatusFigures& figures = picture.figures;
  const std::string title =
      "portail " + figures.version + " at " + picture.address + ", runs for " + long_time(figures.runs_for) + ", ";
  const Layout layout = layout_of(picture, ftxui::Dimension::Full().dimy - 1);
  ftxui::Elements boxes{
      ftxui::hbox({ftxui::text(printable(title)),
                   ftxui::text(printable(picture.health.status)) | paint(colour_of_status(picture.health.status))})};
  if (layout.parts > 0) boxes.push_back(health_box(picture.health, layout.parts, paint));
  if (layout.requests) boxes.push_back(requests_box(picture, layout.graph, paint));
  if (layout.routes_box) boxes.push_back(routes_box(figures, layout.routes));
  if (layout.process) boxes.push_back(process_box(figures, paint));
  ftxui::Element document = vbox(std::move(boxes));
  auto screen = ftxui::Screen::Create(ftxui::Dimension::Full(), ftxui::Dimension::Fit(document));
  Render(screen, document);
  return screen.ToString();
}

std::vector<std::pair<std::string, std::string>> in_lines(const StatusPicture& picture) {
  const StatusFigures& figures = picture.figures;
  std::vector<std::pair<std::string, std::string>> lines{
      {"server", "portail " + figures.version + " at " + picture.address + ", runs for " + long_time(figures.runs_for)},
      {"requests", rate(figures.requests) + ", 4xx " + fixed(figures.refused, 1) + ", 5xx " + fixed(figures.failed, 1) +
                       ", shed " + fixed(figures.shed, 1) + ", limited " + fixed(figures.limited, 1)},
      {"answered", "half within " + time_of(figures.usual) + ", 99 % within " + time_of(figures.late)},
      {"connections", of_most(figures.connections, figures.most_connections)},
      {"open files", of_most(figures.files, figures.most_files)},
      {"processors", fixed(figures.processors, 2)},
      {"memory", bytes(figures.memory)},
  };
  for (const RouteFigures& route : figures.routes) {
    lines.emplace_back("route", route.name + ": " + rate(route.requests) + ", 99 % within " + time_of(route.late));
  }
  return lines;
}

}  // namespace portail
