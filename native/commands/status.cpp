#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <httplib.h>

#include "native/commands/command.hpp"
#include "native/host/terminal.hpp"
#include "native/settings/serve_plan.hpp"
#include "native/status/metrics_reading.hpp"
#include "native/status/status_figures.hpp"
#include "native/status/status_json.hpp"
#include "native/status/status_view.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds longest_answer{5};
constexpr std::chrono::seconds between_looks{1};
constexpr std::size_t longest_history = 600;
constexpr std::size_t max_body = std::size_t{4} << 20;  // of an answer: metrics take some 100 KB

struct Look {
  ReadHealth health;
  MetricsReading metrics;
  steady_clock::time_point at;
};

// Where a server that listens there is asked by this machine.
struct Asked {
  std::string host;
  int port = 0;

  [[nodiscard]] std::string url() const {
    return "http://" + (host.contains(':') ? '[' + host + ']' : host) + ':' + std::to_string(port);
  }
};

std::expected<Asked, Fault> asked_by(const SettingValues& values) {
  if (values.text("metrics-listen").empty()) {
    return wrong_usage("--metrics-listen: give the address that the server has it at, or --config with its file");
  }
  const auto address = read_address(values, "metrics-listen");
  if (!address) return std::unexpected(address.error());
  if (address->port == 0) return wrong_usage(values.where("metrics-listen") + ": name the port that the server took");
  const std::string host = is_every_address(address->address) ? "127.0.0.1" : address->address;
  return Asked{.host = host, .port = address->port};
}

// Reads at most max_body of the body; a longer one is an error.
httplib::Result get(httplib::Client& client, const char* path, std::string& body) {
  return client.Get(path, [&body](const char* bytes, std::size_t size) {
    body.append(bytes, size);
    return body.size() <= max_body;
  });
}

std::expected<Look, Fault> look_at(const Asked& asked) {
  httplib::Client client(asked.host, asked.port);
  client.set_connection_timeout(longest_answer);
  client.set_read_timeout(longest_answer);
  client.set_max_timeout(longest_answer);
  client.set_decompress(false);
  const auto no_answer = [&asked](const std::string& why) {
    return failure(asked.url() + " " + why + ": does the server run, with this --metrics-listen?");
  };
  std::string metrics_body;
  const auto metrics = get(client, "/metrics", metrics_body);
  if (!metrics) return no_answer("does not answer (" + httplib::to_string(metrics.error()) + ")");
  std::string health_body;
  const auto health = get(client, "/health", health_body);
  if (!health) return no_answer("does not answer (" + httplib::to_string(health.error()) + ")");
  auto read = read_health(health_body);
  if (metrics->status != 200 || !read) return no_answer("is no server of this program");
  return Look{.health = std::move(*read), .metrics = MetricsReading(metrics_body), .at = steady_clock::now()};
}

// What came of the time between the two; since the server began, where there was none before.
StatusFigures figures_since(const std::optional<Look>& before, const Look& now) {
  const double clock = static_cast<double>(SystemClock().now().microseconds) / 1e6;
  if (!before) return figures_of({}, now.metrics, 0, clock);
  return figures_of(before->metrics, now.metrics, std::chrono::duration<double>(now.at - before->at).count(), clock);
}

Tone tone_of(const ReadPart& part) {
  if (part.status == "Healthy") return Tone::good;
  return part.status == "Degraded" ? Tone::doubtful : Tone::bad;
}

std::expected<void, Fault> print_once(const Asked& asked, bool json) {
  const auto look = look_at(asked);
  if (!look) return std::unexpected(look.error());
  if (json) {
    print_json_line(status_json(look->health, figures_since({}, *look)));
  } else {
    const StatusPicture picture{
        .address = asked.url(), .health = look->health, .figures = figures_since({}, *look), .requests = {}};
    for (const ReadPart& part : look->health.parts) print_state_row(part.name, tone_of(part), part.status, part.detail);
    for (const auto& [subject, text] : in_lines(picture)) print_row(subject, text);
  }
  for (const ReadPart& part : look->health.parts) {
    if (tone_of(part) == Tone::bad) return failure("the server cannot serve: " + part.name + ": " + part.detail);
  }
  return {};
}

// Redraws until a signal ends the program.
[[noreturn]] void draw_always(const Asked& asked) {
  std::optional<Look> before;
  std::deque<double> requests;
  while (true) {
    auto look = look_at(asked);
    if (look) {
      StatusPicture picture{.address = asked.url(),
                            .health = look->health,
                            .figures = figures_since(before, *look),
                            .requests = {},
                            .colours = may_have_colours(stdout)};
      if (before) requests.push_back(picture.figures.requests);
      if (requests.size() > longest_history) requests.pop_front();
      picture.requests = requests;
      print_picture(drawn(picture));
      before = std::move(*look);
    } else {
      print_picture(look.error().line);
      before.reset();
    }
    std::this_thread::sleep_for(between_looks);
  }
}

struct StatusArguments {
  bool once = false;
  bool json = false;
};

std::expected<void, Fault> run_status(const SettingValues& values, const StatusArguments& arguments) {
  const auto asked = asked_by(values);
  if (!asked) return std::unexpected(asked.error());
  const bool once = arguments.once || arguments.json || !may_be_rewritten(stdout);
  if (once) return print_once(*asked, arguments.json);
  draw_always(*asked);
}

}  // namespace

Command status_command() {
  auto arguments = std::make_shared<StatusArguments>();
  return {.name = "status",
          .help = "Show the state of a running server: on a terminal updated every second, else a few lines",
          .settings = {"metrics-listen", "config"},
          .options = {{.name = "--once", .help = "A few lines on a terminal too", .field = &arguments->once},
                      {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments->json}},
          .examples = {"portail status --metrics-listen 127.0.0.1:9464",
                       "portail status --config /etc/portail/portail.toml --once"},
          .run = [arguments](const SettingValues& values) { return run_status(values, *arguments); }};
}

}  // namespace portail
