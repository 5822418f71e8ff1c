#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "core/base/task.hpp"
#include "core/portal/audit/trail.hpp"
#include "native/commands/audit_filter.hpp"
#include "native/commands/audit_line.hpp"
#include "native/commands/audit_prune.hpp"
#include "native/commands/command.hpp"
#include "native/settings/serve_settings.hpp"

namespace portail {
namespace {

struct AuditArguments {
  std::string store;
  AuditFilterArguments filter;
  bool json = false;
  bool prune = false;
  std::string keep;
};

// Writes records to standard output as they come.
class Printer final : public AuditVisitor {
 public:
  Printer(const AuditFilter& filter, bool json) : filter_(filter), json_(json) {}

  bool visit(AuditName, std::string_view record) override {
    const auto document = parse_json(record);
    const auto object = document ? object_of(document->root()) : std::nullopt;
    if (!object || !filter_.takes(*object)) return true;
    std::string line = json_ ? std::string(record) : audit_line_of(*object);
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) error_ = errno;
    return error_ == 0;
  }

  // 0, or the errno of a write that failed.
  int finish() {
    if (error_ == 0 && std::fflush(stdout) != 0) error_ = errno;
    return error_;
  }

 private:
  const AuditFilter& filter_;
  bool json_;
  int error_ = 0;
};

std::expected<void, Fault> prune(const AuditArguments& arguments, std::int64_t days) {
  auto portal = open_portal(arguments.store, StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  const auto removed = prune_audit_of(*portal, days);
  if (!removed) return std::unexpected(removed.error());
  std::printf("%llu records removed\n", static_cast<unsigned long long>(*removed));
  std::fflush(stdout);
  return {};
}

std::expected<void, Fault> print(const AuditArguments& arguments) {
  const auto filter = AuditFilter::make(arguments.filter);
  if (!filter) return std::unexpected(filter.error());
  const auto portal = open_portal(arguments.store, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  CommandContext command;
  Printer printer(*filter, arguments.json);
  const auto done = run_ready(read_audit_trail(command.context, *portal->store, printer));
  if (!done) return failure("the audit cannot be read: " + command.remarks.text_or(describe(done.error())));
  if (const int error = printer.finish()) {
    return failure(std::string("cannot write to standard output: ") + std::strerror(error));
  }
  return {};
}

std::expected<void, Fault> run_audit(const AuditArguments& arguments) {
  const auto days = days_to_keep(arguments.keep);
  if (!days) return std::unexpected(days.error());
  return arguments.prune ? prune(arguments, *days) : print(arguments);
}

}  // namespace

void add_audit_command(CLI::App& program, ExitStatus& status) {
  auto arguments = std::make_shared<AuditArguments>();
  CLI::App& command = *program.add_subcommand("audit", "Show who changed what, in the order of the changes");
  add_store_option(command, arguments->store);
  command.add_flag("--json", arguments->json, "One JSON object a line, as it is stored");
  add_audit_filter_options(command, arguments->filter);
  command.add_flag("--prune", arguments->prune, "Show nothing, and remove the records older than --audit-keep")
      ->excludes("--json");
  add_audit_keep_option(command, arguments->keep);
  on_command(command, status, [arguments] { return run_audit(*arguments); });
}

}  // namespace portail
