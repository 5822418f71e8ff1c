#include "native/status/status_view.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <ftxui/dom/elements.hpp>
#include <ftxui/screen/color.hpp>
#include <ftxui/screen/screen.hpp>

#include "core/base/printable.hpp"

namespace portail {
namespace {

constexpr std::size_t most_routes = 8;
constexpr int height_of_graph = 6;

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

ftxui::Element health_box(const ReadHealth& health, const Painter& paint) {
  ftxui::Elements rows;
  for (const ReadPart& part : health.parts) {
    rows.push_back(ftxui::hbox({cell(part.name, 13), cell(part.status, 10) | paint(colour_of_status(part.status)),
                                ftxui::text(printable(part.detail)) | ftxui::flex}));
  }
  return window(ftxui::text(" health "), vbox(std::move(rows)));
}

ftxui::Element requests_box(const StatusPicture& picture, const Painter& paint) {
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

ftxui::Element routes_box(const StatusFigures& figures) {
  ftxui::Elements rows{
      ftxui::hbox({ftxui::text("route") | ftxui::flex, cell("a second", 12), cell("99 % within", 12)}) | ftxui::dim};
  for (const RouteFigures& route : figures.routes) {
    if (rows.size() > most_routes) break;
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

}  // namespace

std::string drawn(const StatusPicture& picture) {
  const Painter paint{picture.colours};
  const StatusFigures& figures = picture.figures;
  const std::string title =
      "portail " + figures.version + " at " + picture.address + ", runs for " + long_time(figures.runs_for) + ", ";
  ftxui::Element document = ftxui::vbox({
      ftxui::hbox({ftxui::text(printable(title)),
                   ftxui::text(printable(picture.health.status)) | paint(colour_of_status(picture.health.status))}),
      health_box(picture.health, paint),
      requests_box(picture, paint),
      routes_box(figures),
      window(ftxui::text(" process "),
             ftxui::vbox({measure("connections", figures.connections, figures.most_connections, paint),
                          measure("open files", figures.files, figures.most_files, paint),
                          ftxui::hbox({cell("processors", 13), cell(fixed(figures.processors, 2), 18),
                                       ftxui::text("memory " + bytes(figures.memory))})})),
  });
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
