#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/audit/audit_filter.hpp"
#include "core/audit/trail.hpp"
#include "core/base/task.hpp"
#include "core/base/text.hpp"
#include "core/http/target.hpp"
#include "native/audit/audit_prune.hpp"
#include "native/audit/audit_verify.hpp"
#include "native/commands/audit_line.hpp"
#include "native/commands/command.hpp"
#include "native/commands/remote_options.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

struct AuditArguments {
  AuditFilter filter;
  bool json = false;
  bool prune = false;
  RemoteArguments remote;
};

// Options that select records: they set `filter` to the arguments as typed. It must outlive them.
std::vector<CommandOption> audit_filter_options(AuditFilter& filter) {
  std::vector<CommandOption> options{
      {.name = "--since",
       .help = "Since this time: 2026-01-31 (UTC), or 2026-01-31T08:00:00+01:00",
       .field = &filter.since},
      {.name = "--until", .help = "Before this time", .field = &filter.until},
      {.name = "--subject", .help = "By this subject or system user", .field = &filter.subject},
      {.name = "--client", .help = "Through this client", .field = &filter.client},
      {.name = "--object", .help = "Of this mail object's configuration", .field = &filter.mail_object},
      {.name = "--action",
       .help = "Of this kind",
       .field = &filter.action,
       .choices = {audit_actions.begin(), audit_actions.end()}},
      {.name = "--correlation-id", .help = "Of this request or command run", .field = &filter.correlation_id}};
  for (CommandOption& option : options) option.group = "Only records";
  return options;
}

// Returns the filter of these arguments. A fault is wrong usage.
std::expected<AuditFilter, Fault> read_audit_filter(AuditFilter filter) {
  for (const auto& [name, text] : {std::pair{"--since", &filter.since}, std::pair{"--until", &filter.until}}) {
    if (text->empty()) continue;
    auto time = audit_time(*text);
    if (!time) {
      return wrong_usage(std::string(name) + " must be 2026-01-31 or 2026-01-31T08:00:00+01:00, not " + *text);
    }
    *text = std::move(*time);
  }
  return filter;
}

// Prints each matching record on standard output.
class Printer final : public AuditVisitor {
 public:
  Printer(const AuditFilter& filter, bool json) : filter_(filter), json_(json) {}

  bool visit(AuditName, std::string_view record) override {
    const auto document = parse_json(record);
    const auto object = document ? object_of(document->root()) : std::nullopt;
    if (!object || !matches(filter_, *object)) return true;
    return json_ ? print_json_line(record) : print_line(stdout, format_audit_record(*object));
  }

 private:
  const AuditFilter& filter_;
  bool json_;
};

std::expected<void, Fault> prune(const AuditArguments& arguments, const SettingValues& values) {
  auto portal = open_portal(values, StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  const auto removed = prune_audit(*portal, values.number("audit-retention"));
  if (!removed) return std::unexpected(removed.error());
  if (arguments.json) {
    print_json_line("{\"removed\":" + std::to_string(*removed) + '}');
  } else {
    print_line(stdout, counted(*removed, "record removed", "records removed"));
  }
  return {};
}

// Returns the path of the records that the arguments select, of the management interface.
std::string audit_path(const AuditFilter& filter) {
  std::string path = "audit";
  const auto add = [&path](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += path.contains('?') ? '&' : '?';
    path.append(name).append("=").append(percent_encoded(value));
  };
  add("since", filter.since);
  add("until", filter.until);
  add("subject", filter.subject);
  add("client", filter.client);
  add("action", filter.action);
  add("correlationId", filter.correlation_id);
  if (filter.mail_object) add("object", std::to_string(*filter.mail_object));
  return path;
}

// Returns the number in the last line of the management interface's answer; 0 for a record.
std::uint64_t hidden_records(std::string_view line) {
  if (!line.starts_with("{\"hidden\":")) return 0;
  const auto document = parse_json(line);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  return object ? static_cast<std::uint64_t>(integer_member(*object, "hidden").value_or(0)) : 0;
}

std::expected<void, Fault> report_hidden(std::uint64_t hidden) {
  if (hidden == 0) return {};
  return failure(counted(hidden, "record is", "records are") +
                 " in no chain, and not shown: portail audit verify names them");
}

std::expected<void, Fault> print_from(const AuditArguments& arguments) {
  const auto client = connect_to(arguments.remote);
  if (!client) return std::unexpected(client.error());
  const auto records = client->get(audit_path(arguments.filter));
  if (!records) return std::unexpected(records.error());
  const AuditFilter all;  // the portal has filtered
  Printer printer(all, arguments.json);
  std::uint64_t hidden = 0;
  for (std::string_view rest = *records; !rest.empty();) {
    const std::string_view line = take_until(rest, '\n');
    hidden = hidden_records(line);
    if (hidden == 0 && !printer.visit({}, line)) break;
  }
  return report_hidden(hidden);
}

std::expected<void, Fault> print(const AuditArguments& arguments, const SettingValues& values) {
  const auto filter = read_audit_filter(arguments.filter);
  if (!filter) return std::unexpected(filter.error());
  if (!arguments.remote.to.empty()) return print_from(arguments);
  const auto portal = open_portal(values, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  CommandContext command;
  Printer printer(*filter, arguments.json);
  const auto done = run_ready(read_audit_trail(command.context, *portal->store, printer));
  if (!done) return failure("the audit cannot be read: " + command.last_warning.text_or(describe(done.error())));
  return report_hidden(*done);
}

}  // namespace

Command audit_command() {
  auto arguments = std::make_shared<AuditArguments>();
  Command command{.name = "audit",
                  .help = "Show who changed what, and the calls of the management interface, oldest first",
                  .settings = {"store", "audit-retention"},
                  .options = {{.name = "--json",
                               .help = "One JSON object per line; with --prune, the number of removed records",
                               .field = &arguments->json},
                              {.name = "--prune",
                               .help = "Remove the records older than --audit-retention, and show none",
                               .field = &arguments->prune}},
                  .examples = {"portail audit --store lmdb:data --since 2026-01-31 --subject alice",
                               "portail audit --store lmdb:data --prune --audit-retention 365d"},
                  .run = [arguments](const SettingValues& values) -> std::expected<void, Fault> {
                    if (arguments->prune && !arguments->remote.to.empty()) {
                      return wrong_usage("--prune: the audit of a running portal is pruned by itself; leave out --to");
                    }
                    return arguments->prune ? prune(*arguments, values) : print(*arguments, values);
                  },
                  .commands = {audit_verify_command(), audit_checkpoint_command()}};
  for (CommandOption& option : audit_filter_options(arguments->filter)) command.options.push_back(std::move(option));
  add_remote_options(command.options, arguments->remote);
  return command;
}

}  // namespace portail
