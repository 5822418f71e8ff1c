#include "core/exchange/import.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/task.hpp"
#include "core/base/utc_text.hpp"
#include "core/http/correlation.hpp"
#include "native/commands/audit_prune.hpp"
#include "native/commands/command.hpp"
#include "native/commands/import_files.hpp"
#include "native/commands/import_report.hpp"
#include "native/commands/import_run.hpp"
#include "native/commands/remote_options.hpp"
#include "native/management/import_lease.hpp"
#include "native/remote/remote_import.hpp"
#include "native/sync/changes_file.hpp"
#include "native/system/counted.hpp"
#include "native/system/system.hpp"
#include "native/system/system_user.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::int64_t default_part_size = 16;  // MiB
constexpr std::int64_t max_part_size = 4096;

struct ImportArguments {
  std::string document;
  std::string root;
  std::string changes;
  ImportOptions options;
  bool json = false;
  RemoteArguments remote;
  std::optional<std::int64_t> part_size;  // MiB
};

// Imports through the management interface of a running portal.
std::expected<ImportReport, Fault> import_to(const ImportArguments& arguments) {
  const std::int64_t part_size = arguments.part_size.value_or(default_part_size);
  if (part_size < 1 || part_size > max_part_size) {
    return wrong_usage("--part-size must be 1 to " + std::to_string(max_part_size) + " MiB, not " +
                       std::to_string(part_size));
  }
  const auto client = connect_to(arguments.remote);
  if (!client) return std::unexpected(client.error());
  auto input = ImportFiles::open(arguments.document, arguments.root);
  if (!input) return std::unexpected(input.error());
  CommandContext command;
  auto report = import_remotely(*client, command.context, *input, input->size(),
                                static_cast<std::uint64_t>(part_size) << 20, arguments.options);
  if (!report || report->fault_count == 0) return report;
  arguments.json ? print_json(*report, arguments.options.dry_run) : print_faults(*report);
  return failure(counted(report->fault_count, "fault", "faults") + " in " + arguments.document +
                 ": the part with faults was not imported, nor what follows it");
}

std::expected<void, Fault> run_import(const ImportArguments& arguments, SettingValues values) {
  if (!arguments.changes.empty() && arguments.options.dry_run) {
    return wrong_usage("--changes: a dry run changes nothing, and prints what it would change");
  }
  if (!arguments.changes.empty() && !arguments.remote.to.empty()) {
    return wrong_usage("--changes: leave out --to; a running portal answers the changes of POST import?changes=true");
  }
  if (!arguments.remote.to.empty()) {
    const auto report = import_to(arguments);
    if (!report) return std::unexpected(report.error());
    (arguments.json ? print_json : print_summary)(*report, arguments.options.dry_run);
    return {};
  }
  StoreAccess access = StoreAccess::fill;
  if (arguments.options.dry_run) {
    access = StoreAccess::read;
    const auto url = parse_store_url(values.text("store"));
    // A dry run for a missing store: everything is new.
    if (url && url->scheme->in_folder && !std::filesystem::exists(url->folder())) {
      values.set(*SettingName("store"), {"memory:"}, SettingSource::flag);
    }
  }
  auto portal = open_portal(values, access);
  if (!portal) return std::unexpected(portal.error());
  auto input = ImportFiles::open(arguments.document, arguments.root);
  if (!input) return std::unexpected(input.error());
  const auto imported = import_with_changes(*portal, *input, arguments.document, arguments.options,
                                            {.folder = arguments.changes, .pending = "import", .sha256 = {}},
                                            arguments.json ? ReportForm::json : ReportForm::lines);
  if (!imported) return std::unexpected(imported.error());
  (arguments.json ? print_json : print_summary)(imported->report, arguments.options.dry_run);
  if (imported->file && !arguments.json) print_row("changes", *imported->file);
  if (!arguments.options.dry_run) prune_audit_or_report(*portal, values.number("audit-retention"));
  return {};
}

}  // namespace

std::expected<ImportReport, Fault> import_files(OpenStore& portal, ImportFiles& input, const std::string& name,
                                                ImportOptions options, ReportForm form) {
  CommandContext command;
  const std::string user = system_user();
  const std::string correlation_id = correlation_id_of({}, command.random);
  options.author.route = "portail import";
  options.author.system_user = user;
  if (options.author.correlation_id.empty()) options.author.correlation_id = correlation_id;
  std::unique_ptr<ImportLease> lease;
  if (!options.dry_run) {
    auto acquired = run_ready(acquire_import_lease(command.context, portal.url, *portal.store, options.author));
    if (!acquired) {
      return failure("the import cannot begin: " + command.last_warning.text_or(describe(acquired.error())) +
                     "; fix the cause and run the import again");
    }
    if (!*acquired) return failure(acquired->error());
    lease = std::move(**acquired);
  }
  TextChanges lines;
  JsonChanges json;
  if (options.dry_run)
    options.change_listener = form == ReportForm::json ? static_cast<ImportChangeListener*>(&json) : &lines;
  std::expected<ImportReport, Failure> report;
  {
    ImportProgressBar progress(input.size(), !options.dry_run);
    KeyValueStore& store = lease ? lease->store() : *portal.store;
    report = run_ready(import_document(command.context, store, input, options, progress));
  }
  // If it cannot be released, it ends with this process, and for hosts of WebAssembly when it expires.
  if (lease) {
    [[maybe_unused]] const auto released = run_ready(lease->release(command.context));
  }
  if (!report) {
    return failure("the import stopped: " + command.last_warning.text_or(describe(report.error())) +
                   "; every stored entity is complete, old or new: fix the cause and run the import again");
  }
  if (report->fault_count == 0) return std::move(*report);
  form == ReportForm::json ? print_json(*report, options.dry_run) : print_faults(*report);
  const std::string count = counted(report->fault_count, "fault", "faults");
  if (report->partially_written) {
    return failure("the document changed while it was read (" + count + "): run the import again");
  }
  return failure("nothing was imported: " + count + " in " + name);
}

std::expected<ImportWithChanges, Fault> import_with_changes(OpenStore& portal, ImportFiles& input,
                                                            const std::string& name, ImportOptions options,
                                                            const ChangesTarget& target, ReportForm form) {
  if (target.folder.empty()) {
    auto report = import_files(portal, input, name, options, form);
    if (!report) return std::unexpected(report.error());
    return ImportWithChanges{.report = std::move(*report), .file = std::nullopt};
  }
  SystemRandom random;
  const std::string run = correlation_id_of({}, random);
  options.author.correlation_id = run;
  auto changes = ChangesFile::open(target.folder, target.pending);
  if (!changes) return failure(changes.error());
  options.change_listener = &*changes;
  OpenStore reported{.url = portal.url, .store = std::make_unique<ReportedStore>(*portal.store, *changes)};
  auto report = import_files(reported, input, name, options, form);
  if (!report) return std::unexpected(report.error());
  const Instant now = SystemClock().now();
  std::string stamp = utc_text(now);  // of microseconds: the names of the files are in the order of the imports
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  auto published =
      changes->publish(stamp + '-' + run + ".jsonl",
                       {.run = run, .finished = utc_text_to_the_second(now), .source = name, .sha256 = target.sha256});
  if (!published) return failure(published.error());
  return ImportWithChanges{.report = std::move(*report), .file = std::move(*published)};
}

Command import_command() {
  auto arguments = std::make_shared<ImportArguments>();
  ImportOptions& options = arguments->options;
  Command command{.name = "import",
                  .help = "Import a document: mail objects, third parties, bundles, grants",
                  .settings = {"store", "audit-retention"},
                  .options = {{.name = "DOCUMENT",
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
                               .help = "Remove elements that the document lacks, in the sections that it has",
                               .field = &options.prune},
                              {.name = "--yes",
                               .also = "--allow-empty-sections",
                               .help = "Allow an empty section to remove all its stored elements",
                               .field = &options.allow_empty_sections},
                              {.name = "--dry-run",
                               .help = "Print what would change in each entity, and write nothing",
                               .field = &options.dry_run},
                              {.name = "--changes",
                               .help = "Folder for the changes: a file of JSON lines for each import that has some",
                               .field = &arguments->changes},
                              {.name = "--json",
                               .help = "Report as one JSON object; with --dry-run, after one JSON line per change",
                               .field = &arguments->json},
                              {.name = "--part-size",
                               .help = "Size in MiB over which a document is sent in several parts",
                               .field = &arguments->part_size,
                               .group = "Over HTTP",
                               .shown_default = "16"}},
                  .examples = {"portail import --store lmdb:data --dry-run portail.json",
                               "portail import --store lmdb:data --prune portail.json",
                               "portail import --to https://manage.example --token-file token portail.json"},
                  .run = [arguments](const SettingValues& values) { return run_import(*arguments, values); }};
  add_remote_options(command.options, arguments->remote);
  return command;
}

}  // namespace portail
