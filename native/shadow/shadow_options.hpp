// The options of `portail shadow`, and the client of the services that it compares. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/url.hpp"
#include "native/command_line/command_line.hpp"
#include "native/fetch/http_client.hpp"
#include "native/settings/fault.hpp"
#include "native/shadow/compare.hpp"
#include "native/shadow/report.hpp"

namespace portail {

// A client that reads the answers of a service as they are, for their comparison. One thread.

struct ServiceOptions {
  std::string ca_file = {};                   // PEM; empty: the system's
  std::chrono::milliseconds timeout{10'000};  // of a whole exchange
  std::size_t max_size = 0;                   // of a body, in bytes
};

struct TimedAnswer {
  shadow::ComparedAnswer answer;
  std::chrono::microseconds time;
};

// Keeps its connection between requests, and follows no redirects.
class ServiceClient {
 public:
  using Headers = HttpHeaders;

  ServiceClient(Url url, const ServiceOptions& options);

  // Sends a request without a body; a stop request ends the exchange. The error is why there is no answer that can be
  // compared: a 429, and an answer that is cut off, are errors too.
  std::expected<TimedAnswer, std::string> send(std::string_view method, std::string_view target, const Headers& headers,
                                               const std::stop_token& stop = {});

 private:
  std::chrono::milliseconds timeout_;
  std::size_t max_size_;
  HttpClient client_;
};

// Parses the URL of `option`: https without a path, or http of a loopback address, since a token is sent there.
std::expected<Url, Fault> parse_service_url(const std::string& text, std::string_view option);

// The options of `portail shadow`, and its report. One thread.

struct ShadowArguments {
  std::string upstream;
  std::string to;
  std::string replay;
  std::string record;
  std::string token_file;
  std::string ca_file;
  std::chrono::seconds timeout{10};
  std::optional<std::int64_t> max_answer;  // MiB
  std::optional<std::int64_t> examples;
  std::vector<std::string> accepted;
  bool show_values = false;
  bool json = false;

  [[nodiscard]] bool is_replay() const { return !replay.empty(); }
};

// `arguments` must outlive the options.
std::vector<CommandOption> shadow_options(ShadowArguments& arguments);

// The checked arguments of both modes.
struct ShadowPlan {
  Url upstream;
  ServiceOptions service;
  shadow::ReportOptions report;
};
std::expected<ShadowPlan, Fault> make_shadow_plan(const ShadowArguments& arguments);

// Prints the report. Its fault is why the comparison fails.
std::expected<void, Fault> print_shadow_report(const shadow::Report& report, bool json);

// Replays a record or a log: sends its requests to the portal and to the upstream.
std::expected<void, Fault> replay_requests(const ShadowArguments& arguments, const ShadowPlan& plan);
// Serves as `portail serve`, and compares the answers, until a signal.
std::expected<void, Fault> serve_and_compare(const SettingValues& values, const ShadowArguments& arguments,
                                             const ShadowPlan& plan);

}  // namespace portail
