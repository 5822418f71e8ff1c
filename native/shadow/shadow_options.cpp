#include "native/shadow/shadow_options.hpp"

#include <utility>

#include "core/base/nearest_name.hpp"
#include "native/commands/remote_options.hpp"
#include "native/shadow/difference.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr int too_many_requests = 429;

}  // namespace

ServiceClient::ServiceClient(Url url, const ServiceOptions& options)
    : timeout_(options.timeout),
      max_size_(options.max_size),
      client_(std::move(url), {.tls = {.ca_file = options.ca_file}, .keep_alive = true}) {}

std::expected<TimedAnswer, std::string> ServiceClient::send(std::string_view method, std::string_view target,
                                                            const Headers& headers, const std::stop_token& stop) {
  const auto started = steady_clock::now();
  bool is_too_large = false;
  std::string body;
  const HttpRequest request{
      .method = method, .target = std::string(target), .headers = headers, .on_body = [&](std::string_view bytes) {
        is_too_large = body.size() + bytes.size() > max_size_;
        if (!is_too_large) body += bytes;
        return !is_too_large;
      }};
  auto answer = client_.exchange(request, started + timeout_, stop);
  const auto ended = steady_clock::now();
  if (is_too_large) return std::unexpected("its answer is larger than --max-answer");
  if (!answer && answer.error().kind == ExchangeFault::Kind::timed_out)
    return std::unexpected("it did not answer in time");
  if (!answer) return std::unexpected(answer.error().reason);
  const std::string_view coding = answer->header("Content-Encoding");
  if (!coding.empty() && coding != "identity")
    return std::unexpected("its answer has a Content-Encoding, though identity was requested");
  if (answer->status == too_many_requests) return std::unexpected("429: it limits the rate of requests");
  return TimedAnswer{{.status = answer->status, .headers = std::move(answer->headers), .body = std::move(body)},
                     std::chrono::duration_cast<std::chrono::microseconds>(ended - started)};
}

std::expected<Url, Fault> parse_service_url(const std::string& text, std::string_view option) {
  auto url = parse_url(text);
  if (!url || url->target != "/" || (!url->is_https && !is_loopback(*url))) {
    return wrong_usage(std::string(option) +
                       " must be an https URL without a path, or an http one of a loopback address, not " + text);
  }
  return std::move(*url);
}

namespace {

constexpr std::int64_t default_max_answer = 16;  // MiB
constexpr std::int64_t max_max_answer = 1024;
constexpr std::int64_t default_examples = 3;
constexpr std::int64_t max_examples = 1000;
constexpr std::chrono::seconds max_timeout{60};  // the end of serving waits for requests in flight

std::expected<void, Fault> check_modes(const ShadowArguments& arguments) {
  if (arguments.to.empty() != arguments.replay.empty()) return wrong_usage("--to and --replay must be given together");
  if (arguments.is_replay() && !arguments.record.empty())
    return wrong_usage("--record is for served requests: it cannot be used with --replay");
  if (!arguments.is_replay() && !arguments.token_file.empty())
    return wrong_usage("--token-file is for --replay: a served request has its client's token");
  return {};
}

std::expected<void, Fault> check_bounds(const ShadowArguments& arguments) {
  const std::int64_t size = arguments.max_answer.value_or(default_max_answer);
  if (size < 1 || size > max_max_answer)
    return wrong_usage("--max-answer must be 1 to 1024 MiB, not " + std::to_string(size));
  const std::int64_t examples = arguments.examples.value_or(default_examples);
  if (examples < 0 || examples > max_examples)
    return wrong_usage("--examples must be 0 to 1000, not " + std::to_string(examples));
  if (arguments.timeout < std::chrono::seconds(1) || arguments.timeout > max_timeout)
    return wrong_usage("--timeout must be 1 to 60 seconds, not " + std::to_string(arguments.timeout.count()));
  return {};
}

std::expected<void, Fault> check_accepted(const std::vector<std::string>& rows) {
  for (const std::string& row : rows) {
    if (shadow::is_row(row)) continue;
    std::vector<std::string> known(contract::rows.begin(), contract::rows.end());
    known.insert(known.end(), contract::members.begin(), contract::members.end());
    return wrong_usage("--accept: unknown row " + row + suggestion_for(row, known));
  }
  return {};
}

}  // namespace

std::vector<CommandOption> shadow_options(ShadowArguments& arguments) {
  std::vector<CommandOption> options{
      {.name = "--upstream",
       .help = "URL of the service that answers are compared with, without a path",
       .field = &arguments.upstream,
       .is_required = true},
      {.name = "--record",
       .help = "File to which the compared requests are appended, without tokens, for --replay",
       .field = &arguments.record},
      {.name = "--replay",
       .help = "Instead of serving: file of requests, a record or an access log; - reads standard input",
       .field = &arguments.replay},
      {.name = "--to",
       .help = "URL of the running portal that replayed requests are sent to, without a path",
       .field = &arguments.to},
      {.name = "--token-file",
       .help = "File of the token of replayed requests; default: the variable PORTAIL_TOKEN",
       .field = &arguments.token_file},
      {.name = "--ca-file",
       .help = "Certificate authorities of the upstream and the portal, PEM; default: the system's",
       .field = &arguments.ca_file},
      {.name = "--timeout",
       .help = "Time for an answer, from 1 to 60 seconds",
       .field = &arguments.timeout,
       .shown_default = "10s"},
      {.name = "--max-answer",
       .help = "Maximum size of a compared answer, 1 to 1024 MiB",
       .field = &arguments.max_answer,
       .shown_default = std::to_string(default_max_answer)},
      {.name = "--examples",
       .help = "Maximum number of examples for each row of the contract, 0 to 1000",
       .field = &arguments.examples,
       .shown_default = std::to_string(default_examples)},
      {.name = "--accept",
       .help = "A row of the contract whose differences do not fail the comparison; repeatable",
       .field = &arguments.accepted},
      {.name = "--show-values",
       .help = "Show the values of examples, which may be personal data, instead of their kind",
       .field = &arguments.show_values},
      {.name = "--json", .help = "One JSON object as the report", .field = &arguments.json}};
  for (CommandOption& option : options) option.group = "Comparison";
  return options;
}

std::expected<ShadowPlan, Fault> make_shadow_plan(const ShadowArguments& arguments) {
  auto upstream = parse_service_url(arguments.upstream, "--upstream");
  if (!upstream) return std::unexpected(upstream.error());
  for (const auto& checked : {check_modes(arguments), check_bounds(arguments), check_accepted(arguments.accepted),
                              check_ca_file(arguments.ca_file)}) {
    if (!checked) return std::unexpected(checked.error());
  }
  const auto mebibytes = static_cast<std::size_t>(arguments.max_answer.value_or(default_max_answer));
  return ShadowPlan{
      .upstream = std::move(*upstream),
      .service = {.ca_file = arguments.ca_file, .timeout = arguments.timeout, .max_size = mebibytes << 20U},
      .report = {.max_examples = static_cast<std::size_t>(arguments.examples.value_or(default_examples)),
                 .show_values = arguments.show_values,
                 .accepted = arguments.accepted}};
}

std::expected<void, Fault> print_shadow_report(const shadow::Report& report, bool json) {
  if (json) {
    print_json_line(report.json());
  } else {
    for (const auto& [subject, text] : report.rows()) print_row(subject, text);
  }
  if (const std::string fault = report.fault(); !fault.empty())
    return failure("the comparison failed: " + fault + "; see the report");
  return {};
}

}  // namespace portail
