#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/time.hpp"
#include "native/commands/command.hpp"
#include "native/commands/remote_options.hpp"
#include "native/fetch/http_client.hpp"
#include "native/settings/serve_plan.hpp"
#include "native/status/server_stats.hpp"
#include "native/status/status_output.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds request_timeout{5};
constexpr std::size_t max_body = std::size_t{4} << 20;  // of an answer; metrics have about 100 KB

struct ServerState {
  HealthReport health;
  MetricsSnapshot metrics;
  steady_clock::time_point time;
};

// The address at which this machine reaches the server.
struct ServerAddress {
  std::string host;
  int port = 0;

  [[nodiscard]] std::string url() const {
    return "http://" + (host.contains(':') ? '[' + host + ']' : host) + ':' + std::to_string(port);
  }
};

std::expected<ServerAddress, Fault> server_address(const SettingValues& values) {
  if (values.text("metrics-listen").empty()) {
    return wrong_usage("--metrics-listen: give the address of its metrics, or --config with its file");
  }
  const auto address = read_address(values, "metrics-listen");
  if (!address) return std::unexpected(address.error());
  if (address->port == 0) return wrong_usage(values.where("metrics-listen") + ": name the port that the server took");
  const std::string host = is_wildcard_address(address->address) ? "127.0.0.1" : address->address;
  return ServerAddress{.host = host, .port = address->port};
}

// Returns the answer with its body; one that exceeds max_body is an error.
std::expected<HttpAnswer, ExchangeFault> get(HttpClient& client, const char* path) {
  std::string body;
  auto answer = client.exchange({.target = path,
                                 .on_body =
                                     [&body](std::string_view bytes) {
                                       body += bytes;
                                       return body.size() <= max_body;
                                     }},
                                steady_clock::now() + request_timeout);
  if (answer) answer->body = std::move(body);
  return answer;
}

std::expected<ServerState, Fault> fetch_state(const ServerAddress& address) {
  HttpClient client(Url{.is_https = false, .host = address.host, .port = address.port, .authority = {}, .target = "/"});
  const auto unreachable = [&address](const std::string& why) {
    return failure(address.url() + " " + why + ": check that the server runs with this --metrics-listen");
  };
  const auto metrics = get(client, "/metrics");
  if (!metrics) return unreachable("does not answer (" + metrics.error().reason + ")");
  const auto health = get(client, "/health");
  if (!health) return unreachable("does not answer (" + health.error().reason + ")");
  auto read = parse_health_report(health->body);
  if (metrics->status != 200 || !read) return unreachable("is not a portail server");
  return ServerState{
      .health = std::move(*read), .metrics = MetricsSnapshot(metrics->body), .time = steady_clock::now()};
}

// The statistics since `before`, or since the start of the server.
ServerStats stats_since(const std::optional<ServerState>& before, const ServerState& now) {
  const double clock = static_cast<double>(SystemClock().now().microseconds) / 1e6;
  if (!before) return compute_stats({}, now.metrics, 0, clock);
  return compute_stats(before->metrics, now.metrics, std::chrono::duration<double>(now.time - before->time).count(),
                       clock);
}

Severity severity_of(const HealthReportPart& part) {
  if (part.status == "Healthy") return Severity::ok;
  return part.status == "Degraded" ? Severity::warning : Severity::error;
}

// Prints the state and the statistics since `before`, which becomes the state; nullopt if there is none.
std::expected<void, Fault> print_state(const ServerAddress& address, bool json, std::optional<ServerState>& before) {
  auto state = fetch_state(address);
  if (!state) {
    before.reset();
    return std::unexpected(std::move(state.error()));
  }
  const ServerStats stats = stats_since(before, *state);
  before = std::move(*state);
  if (json) {
    print_json_line(status_json(before->health, stats));
  } else {
    for (const HealthReportPart& part : before->health.parts)
      print_state_row(part.name, severity_of(part), part.status, part.detail);
    for (const auto& [subject, text] : status_lines(stats, address.url())) print_row(subject, text);
  }
  for (const HealthReportPart& part : before->health.parts) {
    if (severity_of(part) == Severity::error)
      return failure("the server cannot serve: " + part.name + ": " + part.detail);
  }
  return {};
}

constexpr std::chrono::seconds print_once = std::chrono::seconds::min();

struct StatusArguments {
  std::chrono::seconds watch = print_once;
  bool json = false;
  RemoteArguments remote;
};

std::expected<void, Fault> run_status(const SettingValues& values, const StatusArguments& arguments) {
  if (arguments.watch != print_once && arguments.watch.count() < 1)
    return wrong_usage("--watch must be at least 1 second");
  const bool is_remote = !arguments.remote.to.empty();
  std::expected<ServerAddress, Fault> address;
  if (!is_remote) address = server_address(values);
  if (!address) return std::unexpected(address.error());
  std::optional<ServerState> before;
  const auto print = [&] {
    return is_remote ? print_remote_state(arguments.remote, "status", arguments.json)
                     : print_state(*address, arguments.json, before);
  };
  if (arguments.watch == print_once) return print();
  // Until a signal ends the program, or standard output cannot be written, which the caller reports.
  while (true) {
    if (!arguments.json) print_line(stdout, utc_text_to_the_second(SystemClock().now()));
    const auto printed = print();
    if (!printed && printed.error().status == ExitStatus::wrong_usage) return printed;
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) return {};
    if (!printed) print_error(printed.error().message);
    std::this_thread::sleep_for(arguments.watch);
  }
}

}  // namespace

Command status_command() {
  auto arguments = std::make_shared<StatusArguments>();
  Command command{
      .name = "status",
      .help = "Print the state of a running server",
      .settings = {"metrics-listen", "config"},
      .options = {{.name = "--watch",
                   .help = "Print again after each interval of this time, with the rates since the last one",
                   .field = &arguments->watch},
                  {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments->json}},
      .examples = {"portail status --metrics-listen 127.0.0.1:9464",
                   "portail status --config /etc/portail/portail.toml --watch 5"},
      .run = [arguments](const SettingValues& values) { return run_status(values, *arguments); }};
  add_remote_options(command.options, arguments->remote);
  return command;
}

}  // namespace portail
