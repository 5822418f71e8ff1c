#include "core/exchange/import.hpp"

#include <array>
#include <filesystem>
#include <span>
#include <string_view>

#include <pwd.h>
#include <unistd.h>

#include "core/base/task.hpp"
#include "core/http/correlation.hpp"
#include "core/json/utf8.hpp"
#include "native/commands/audit_prune.hpp"
#include "native/commands/command.hpp"
#include "native/commands/import_files.hpp"
#include "native/commands/import_report.hpp"
#include "native/commands/import_run.hpp"
#include "native/commands/locked_store.hpp"

namespace portail {
namespace {

// The name of the user that this process runs as; its number where it has none.
std::string system_user() {
  const uid_t number = geteuid();
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  if (getpwuid_r(number, &entry, buffer.data(), buffer.size(), &found) == 0 && found) {
    if (is_valid_utf8(found->pw_name)) return found->pw_name;
  }
  return std::to_string(number);
}

struct ImportArguments {
  std::string document;
  std::string root;
  ImportOptions options;
  bool json = false;
};

std::expected<void, Fault> run_import(const ImportArguments& arguments, SettingValues values) {
  StoreAccess access = StoreAccess::fill;
  if (arguments.options.dry_run) {
    access = StoreAccess::read;
    const auto url = parse_store_url(values.text("store"));
    // What would become of a store that is not there yet: everything is new.
    if (url && url->scheme->in_folder && !std::filesystem::exists(url->folder())) {
      values.give(*SettingName("store"), {"memory:"}, SettingSource::flag);
    }
  }
  auto portal = open_portal(values, access);
  if (!portal) return std::unexpected(portal.error());
  const auto report = import_files(*portal, arguments.document, arguments.root, arguments.options,
                                   arguments.json ? ReportForm::json : ReportForm::lines);
  if (!report) return std::unexpected(report.error());
  (arguments.json ? print_json : print_summary)(*report, arguments.options.dry_run);
  if (!arguments.options.dry_run) prune_audit(*portal, values.number("audit-retention"));
  return {};
}

}  // namespace

std::expected<ImportReport, Fault> import_files(OpenStore& portal, const std::string& document, const std::string& root,
                                                ImportOptions options, ReportForm form) {
  auto input = ImportFiles::open(document, root);
  if (!input) return std::unexpected(input.error());
  HeldImportLock lock;
  if (!options.dry_run) {
    auto taken = lock_for_import(portal.url);
    if (!taken) return failure(taken.error());
    lock = std::move(*taken);
  }
  CommandContext command;
  const std::string user = system_user();
  const std::string run = correlation_id_of({}, command.random);
  options.system_user = user;
  options.correlation_id = run;
  PrintedChanges lines;
  JsonChanges json;
  if (options.dry_run) options.changes = form == ReportForm::json ? static_cast<ImportChanges*>(&json) : &lines;
  std::expected<ImportReport, Failure> report;
  {
    TerminalProgress progress(input->size(), !options.dry_run);
    LockedStore store(*portal.store, *portal.url.scheme, lock);
    report = run_ready(import_document(command.context, store, *input, options, progress));
  }
  if (!report) {
    return failure("the import stopped: " + command.remarks.text_or(describe(report.error())) +
                   "; every entity in the store is whole, old or new: put this right and run the import again");
  }
  if (report->fault_count == 0) return std::move(*report);
  form == ReportForm::json ? print_json(*report, options.dry_run) : print_faults(*report);
  const std::string count = std::to_string(report->fault_count);
  if (report->partly_written) {
    return failure("the document changed while it was read (" + count + " faults): run the import again");
  }
  return failure("nothing was imported: " + count + (report->fault_count == 1 ? " fault" : " faults") + " in " +
                 document);
}

Command import_command() {
  auto arguments = std::make_shared<ImportArguments>();
  ImportOptions& options = arguments->options;
  return {.name = "import",
          .help = "Import a document: mail objects, third parties, bundles, grants",
          .settings = {"store", "audit-retention"},
          .options = {{.name = "document",
                       .help = "The JSON document, or - for standard input",
                       .field = &arguments->document,
                       .is_required = true},
                      {.name = "--root",
                       .help = "The folder of the template files (default: the document's)",
                       .field = &arguments->root},
                      {.name = "--replace-configuration",
                       .help = "Let the document override utilisablePourLiasse and typeAffectation",
                       .field = &options.replace_configuration},
                      {.name = "--prune",
                       .help = "Remove what the document does not hold, in the sections that it holds",
                       .field = &options.prune},
                      {.name = "--yes", .help = "Let --prune empty a section", .field = &options.may_empty},
                      {.name = "--dry-run",
                       .help = "Say of each entity what would change, and write nothing",
                       .field = &options.dry_run},
                      {.name = "--json",
                       .help = "The report as a JSON object, after one a line for each change of a dry run",
                       .field = &arguments->json}},
          .examples = {"portail import --store lmdb:data --dry-run portail.json",
                       "portail import --store lmdb:data --prune portail.json"},
          .run = [arguments](const SettingValues& values) { return run_import(*arguments, values); }};
}

}  // namespace portail
