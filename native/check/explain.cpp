#include "native/check/explain.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/http/reason_table.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/system/log.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// What to check for a status that has no reason in the log.
struct StatusMeaning {
  std::int64_t status;
  std::string_view cause;
  std::string_view remedy;
};
constexpr std::array status_meanings{
    StatusMeaning{400, "The request is malformed, or a parameter or the body is not valid.",
                  "Read `message` and `validationErrors` of the answer's body."},
    StatusMeaning{404, "No endpoint has this path and method, or no entity has this id.",
                  "Compare the path with /swagger/index.html, and the id with the imported document."},
    StatusMeaning{412, "The mail object has changed since the client read it.", "The client must read it again."},
    StatusMeaning{415, "The body is not JSON in UTF-8.", "Send `Content-Type: application/json`."},
    StatusMeaning{500, "A value of the store is damaged or too large.",
                  "Find the event `request failed` of this time in the log, and run `portail check`."},
    StatusMeaning{503, "The service was not ready when a health check asked.",
                  "Run `portail check URL`; `GET /health` of `metrics-listen` has the details."}};

struct LoggedLine {
  std::string time, correlation_id, method, route, entity, reason;
  std::string warning{};  // the last one before it about what was unavailable
  std::int64_t status = 0;
  bool is_access_line = false;

  // Whether both lines are of one request: a 403 has an access line and a request line.
  [[nodiscard]] bool is_same_request(const LoggedLine& other) const {
    return is_access_line != other.is_access_line && correlation_id == other.correlation_id && route == other.route &&
           status == other.status;
  }
};

// A line of the log, with or without text before it.
std::string_view document_of(std::string_view line) {
  const std::size_t begin = line.find('{');
  return begin == std::string_view::npos ? "" : line.substr(begin);
}

// Returns the line of a request; nullopt for others.
std::optional<LoggedLine> read_line(std::string_view text) {
  const auto document = parse_json(document_of(text));
  const auto members = document ? object_of(document->root()) : std::nullopt;
  if (!members) return std::nullopt;
  const auto status = member(*members, "status");
  const auto number = status ? integer_of(*status) : std::nullopt;
  if (!number || !member(*members, "route")) return std::nullopt;
  const auto text_of = [&members](std::string_view name) {
    return std::string(string_member(*members, name).value_or(""));
  };
  return LoggedLine{.time = text_of("time"),
                    .correlation_id = text_of("correlationId"),
                    .method = text_of("method"),
                    .route = text_of("route"),
                    .entity = text_of("entity"),
                    .reason = text_of("reason"),
                    .status = *number,
                    .is_access_line = text_of("event") == "access"};
}

// The last warnings about the parts without which requests get 503.
class Warnings {
 public:
  void read(std::string_view text) {
    // In a string every '"' is escaped, so these are members.
    if (!text.contains(R"("level":"warning")") && !text.contains(R"("level":"error")")) return;
    const auto document = parse_json(document_of(text));
    const auto members = document ? object_of(document->root()) : std::nullopt;
    if (!members) return;
    const std::string_view event = string_member(*members, "event").value_or("");
    const auto part = std::ranges::find_if(parts_, [event](const Part& each) { return event.contains(each.word); });
    if (part == parts_.end()) return;
    const std::string_view detail = string_member(*members, "detail").value_or("");
    part->last = std::string(string_member(*members, "time").value_or("")).append(" ").append(event);
    if (!detail.empty()) part->last.append(": ").append(detail);
  }
  [[nodiscard]] std::string about(std::string_view reason) const {
    const auto part =
        std::ranges::find_if(parts_, [reason](const Part& each) { return text_of(each.reason) == reason; });
    return part == parts_.end() ? std::string() : part->last;
  }

 private:
  struct Part {
    Reason reason;
    std::string_view word;  // of its events
    std::string last;
  };
  std::array<Part, 2> parts_{Part{.reason = Reason::store_unavailable, .word = "store", .last = {}},
                             Part{.reason = Reason::no_keys, .word = "key", .last = {}}};
};

struct Explanation {
  std::string_view cause;
  std::string_view remedy;
};

Explanation explanation_of(const LoggedLine& line) {
  if (const ReasonRow* row = find_reason(line.reason)) return {row->cause, row->remedy};
  if (!line.reason.empty()) return {"This version of portail does not have this reason.", "Use the server's version."};
  const auto found = std::ranges::find(status_meanings, line.status, &StatusMeaning::status);
  if (found != status_meanings.end()) return {found->cause, found->remedy};
  return {"The request was not refused.", ""};
}

void append_json(JsonWriter& json, const ReasonRow& row) {
  json.begin_object().name("status").integer(row.status).name("reason").string(row.text);
  json.name("cause").string(row.cause).name("remedy").string(row.remedy).end_object();
}

void print_explanation_json(const LoggedLine& line) {
  const Explanation explanation = explanation_of(line);
  std::string text;
  JsonWriter json(text);
  const auto member = [&json](std::string_view name, std::string_view value) {
    json.name(name);
    value.empty() ? json.null() : json.raw(log_string(value));
  };
  json.begin_object();
  member("time", line.time);
  member("correlationId", line.correlation_id);
  member("method", line.method);
  member("route", line.route);
  member("entity", line.entity);
  json.name("status").integer(line.status);
  member("reason", line.reason);
  member("cause", explanation.cause);
  member("remedy", explanation.remedy);
  member("warning", line.warning);
  json.end_object();
  print_json_line(text);
}

void print_explanation(const LoggedLine& line) {
  const Explanation explanation = explanation_of(line);
  if (!line.time.empty()) print_row("time", line.time);
  print_row("request", line.method + ' ' + line.route + (line.entity.empty() ? "" : ", " + line.entity));
  print_row("answer", std::to_string(line.status));
  if (!line.reason.empty()) print_row("reason", line.reason);
  print_row("cause", explanation.cause);
  if (!line.warning.empty()) print_row("warning", line.warning);
  if (!explanation.remedy.empty()) print_row("remedy", explanation.remedy);
}

struct ExplainArguments {
  std::string line;  // or a correlation id
  std::string log;
  bool list = false;
  bool json = false;
};

void print_list(bool as_json) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const ReasonRow& row : reason_table) {
    if (as_json) {
      append_json(json, row);
      continue;
    }
    print_row(std::to_string(row.status), row.text);
    print_row("", row.cause);
    print_row("", row.remedy);
  }
  json.end_array();
  if (as_json) print_json_line(text);
}

// Returns the lines of the requests with this correlation id, which several can have: clients may choose it. For an
// empty id, those of all refused requests.
std::vector<LoggedLine> find_lines(std::istream& log, const std::string& id) {
  std::vector<LoggedLine> found;
  Warnings warnings;
  for (std::string text; std::getline(log, text);) {
    warnings.read(text);
    if (!text.contains(id)) continue;
    auto line = read_line(text);
    if (!line || (id.empty() ? line->status < 400 : line->correlation_id != id)) continue;
    if (!found.empty() && found.back().is_same_request(*line)) {
      if (found.back().entity.empty()) found.back().entity = line->entity;
      continue;
    }
    line->warning = warnings.about(line->reason);
    found.push_back(std::move(*line));
  }
  return found;
}

std::expected<std::vector<LoggedLine>, Fault> read_lines(const ExplainArguments& arguments) {
  if (arguments.line.contains('{')) {
    auto line = read_line(arguments.line);
    if (!line) return wrong_usage("the line is not a request's or access line of the log: give all of it, in quotes");
    return std::vector{std::move(*line)};
  }
  std::ifstream file;
  if (!arguments.log.empty()) {
    file.open(arguments.log);
    const int error = std::filesystem::is_directory(arguments.log) ? EISDIR : file ? 0 : errno;
    if (error != 0) return failure("cannot read --log " + arguments.log + ": " + std::strerror(error));
  } else if (isatty(STDIN_FILENO) == 1) {
    return wrong_usage("give a line of the log, or the log by --log or on standard input, or --list");
  }
  const std::string id = arguments.line == "-" ? "" : arguments.line;
  auto lines = find_lines(arguments.log.empty() ? std::cin : file, id);
  if (lines.empty() && id.empty()) return failure("no line of the log is of a refused request");
  if (lines.empty()) {
    return failure("no line of the log has the correlation id " + id +
                   ": requests have none with --no-access-log, and of the 429 and the 503 of overload only ten a "
                   "second have one");
  }
  return lines;
}

std::expected<void, Fault> run_explain(const ExplainArguments& arguments) {
  if (arguments.list) {
    print_list(arguments.json);
    return {};
  }
  const auto lines = read_lines(arguments);
  if (!lines) return std::unexpected(lines.error());
  bool is_first = true;
  for (const LoggedLine& line : *lines) {
    if (!is_first && !arguments.json) print_line(stdout, "");
    is_first = false;
    arguments.json ? print_explanation_json(line) : print_explanation(line);
  }
  return {};
}

}  // namespace

const ReasonRow* find_reason(std::string_view text) {
  const auto found = std::ranges::find(reason_table, text, &ReasonRow::text);
  return found == reason_table.end() ? nullptr : &*found;
}

Command explain_command() {
  auto arguments = std::make_shared<ExplainArguments>();
  return {
      .name = "explain",
      .help = "Explain why a request was refused, from its line of the log",
      .options =
          {{.name = "LINE",
            .help =
                "A line of the log, or the X-Correlation-Id of an answer, which is searched in the log; default: every "
                "refused request of the log",
            .field = &arguments->line},
           {.name = "--log", .help = "The log; default: standard input", .field = &arguments->log},
           {.name = "--list", .help = "Print every reason with its cause and remedy", .field = &arguments->list},
           {.name = "--json",
            .help = "One JSON object for each request; with --list one array",
            .field = &arguments->json}},
      .examples = {"journalctl -u portail -o cat | portail explain f58f7d5682f032f250bc9d897803c22e",
                   "portail explain --list"},
      .run = [arguments](const SettingValues&) { return run_explain(*arguments); }};
}

}  // namespace portail
