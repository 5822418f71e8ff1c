// The options of `portail shadow`, and its report. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/url.hpp"
#include "native/command_line/command_line.hpp"
#include "native/shadow/report.hpp"
#include "native/shadow/service_client.hpp"

namespace portail {

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
