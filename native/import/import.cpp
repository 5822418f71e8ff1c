#include "core/exchange/import.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/task.hpp"
#include "core/base/time.hpp"
#include "core/http/request.hpp"
#include "native/audit/audit_prune.hpp"
#include "native/commands/command.hpp"
#include "native/commands/remote_options.hpp"
#include "native/import/changes_file.hpp"
#include "native/import/document_source.hpp"
#include "native/import/import_files.hpp"
#include "native/import/import_run.hpp"
#include "native/import/remote_import.hpp"
#include "native/management/store_management.hpp"
#include "native/system/system.hpp"
#include "native/system/temporary_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::int64_t default_part_size = 16;  // MiB
constexpr std::int64_t max_part_size = 4096;
constexpr std::int64_t default_max_size = default_max_document_size >> 20;  // MiB
constexpr std::int64_t max_max_size = 1024 * 1024;                          // a TiB

std::expected<void, Fault> check_location(const std::string& text, const std::string& what) {
  if (!is_url(text) || parse_source_url(text)) return {};
  return wrong_usage(what + " must be a file, an https URL, or an http URL of a loopback address");
}

// An option, and the condition without which it has no effect.
struct Condition {
  const char* option;
  bool is_given;
  bool is_met;
  const char* fault;
};

std::expected<void, Fault> check_arguments(const ImportArguments& arguments) {
  if (auto valid = check_location(arguments.source, "the source"); !valid) return valid;
  if (auto valid = check_location(arguments.checksum, "--checksum"); !valid) return valid;
  const bool if_changed = arguments.if_changed;
  const bool is_copied = if_changed || is_url(arguments.source);
  std::error_code ignored;
  const bool is_pipe = arguments.source == "-" || std::filesystem::is_fifo(arguments.source, ignored);
  const bool is_dry = arguments.options.dry_run;
  const bool has_changes = !arguments.changes.empty();
  const bool has_to = !arguments.remote.to.empty();
  const bool has_timeout = arguments.timeout != ImportArguments().timeout;
  for (const Condition& each :
       {Condition{"--max-size", arguments.max_size.has_value(), is_copied || is_pipe,
                  " needs a URL, a pipe, or --if-changed"},
        Condition{"--timeout", has_timeout, is_copied, " needs a URL, or --if-changed"},
        Condition{"--dry-run", is_dry, !if_changed, ": leave out --if-changed"},
        Condition{"--json", arguments.json, !if_changed, ": leave out --if-changed"},
        Condition{"--to", has_to, !if_changed, ": leave out --if-changed"},
        Condition{"--ca-file", !arguments.remote.tls.ca_file.empty(), is_copied || has_to, " needs --to"},
        Condition{"--changes", has_changes, !is_dry, ": a dry run changes nothing, and prints what it would change"},
        Condition{"--changes", has_changes, !has_to,
                  ": leave out --to; a running portal answers the changes of POST import?changes=true"}}) {
    if (each.is_given && !each.is_met) return wrong_usage(std::string(each.option) + each.fault);
  }
  const std::int64_t max_size = arguments.max_size.value_or(default_max_size);
  if (max_size < 1 || max_size > max_max_size) {
    return wrong_usage("--max-size must be from 1 to " + std::to_string(max_max_size) + " MiB");
  }
  if (arguments.timeout.count() < 1) return wrong_usage("--timeout must be at least 1 second");
  if (arguments.max_age.count() < 0) return wrong_usage("--max-age must not be negative");
  return {};
}

// A source that is not a file is copied to the folder of TMPDIR; if that is unset, to that of the store.
std::expected<ImportFiles, Fault> open_source(const ImportArguments& arguments, const std::string& store_folder) {
  const std::string folder = temporary_folder(store_folder);
  const SourceLimits limits = arguments.source_limits();
  if (!is_url(arguments.source)) return ImportFiles::open(arguments.source, arguments.root, folder, limits.max_size);
  auto spool = TemporaryFile::create(folder);
  if (!spool) return failure(spool.error());
  const auto fetched = fetch_source(arguments.source, limits, std::nullopt, *spool);
  if (!fetched) return failure(fetched.error().message);
  return ImportFiles::open(spool->release(), arguments.source, arguments.root);
}

// Imports through the management interface of a running portal.
std::expected<ImportReport, Fault> import_to(const ImportArguments& arguments) {
  const std::int64_t part_size = arguments.part_size.value_or(default_part_size);
  if (part_size < 1 || part_size > max_part_size) {
    return wrong_usage("--part-size must be 1 to " + std::to_string(max_part_size) + " MiB, not " +
                       std::to_string(part_size));
  }
  const auto client = connect_to(arguments.remote);
  if (!client) return std::unexpected(client.error());
  auto input = open_source(arguments, {});
  if (!input) return std::unexpected(input.error());
  CommandContext command;
  auto report = import_remotely(*client, command.context, *input, input->size(),
                                static_cast<std::uint64_t>(part_size) << 20, arguments.options);
  if (!report || report->fault_count == 0) return report;
  arguments.json ? print_json(*report, arguments.options.dry_run) : print_faults(*report);
  return failure(counted(report->fault_count, "fault", "faults") + " in " + without_secrets(arguments.source) +
                 ": the part with faults was not imported, nor what follows it");
}

std::expected<void, Fault> run_import(const ImportArguments& arguments, SettingValues values) {
  if (auto checked = check_arguments(arguments); !checked) return checked;
  if (arguments.if_changed) return import_if_changed(arguments, values);
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
  // A dry run may be of a store that cannot be written to.
  auto input = open_source(arguments, arguments.options.dry_run ? std::filesystem::path() : portal->url.folder());
  if (!input) return std::unexpected(input.error());
  return import_and_report(*portal, *input, arguments, values, "import", {});
}

}  // namespace

std::string without_secrets(const std::string& source) {
  return is_url(source) ? std::string(without_query(source)) : source;
}

SourceLimits ImportArguments::source_limits() const {
  return {.ca_file = remote.tls.ca_file,
          .max_size = static_cast<std::uint64_t>(max_size.value_or(default_max_size)) * 1024 * 1024,
          .deadline = std::chrono::steady_clock::now() + timeout};
}

std::expected<ImportReport, Fault> import_files(OpenStore& portal, ImportFiles& input, const std::string& name,
                                                ImportOptions options, bool json) {
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
  TextChanges text_lines;
  JsonChanges json_lines;
  if (options.dry_run) {
    options.change_listener = json ? static_cast<ImportChangeListener*>(&json_lines) : &text_lines;
  }
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
  json ? print_json(*report, options.dry_run) : print_faults(*report);
  const std::string count = counted(report->fault_count, "fault", "faults");
  if (report->partially_written) {
    return failure("the document changed while it was read (" + count + "): run the import again");
  }
  return failure("nothing was imported: " + count + " in " + name);
}

// The import has succeeded, also if this fails.
void prune_and_print(OpenStore& portal, std::int64_t days_to_keep) {
  const auto pruned = prune_expired_audit(portal, days_to_keep);
  if (!pruned) return print_error(pruned.error().message);
  if (pruned->removed > 0) print_error(counted(pruned->removed, "old audit record", "old audit records") + " removed");
  if (pruned->has_kept) print_error(std::string("expired audit records are kept: ").append(why_expired_audit_is_kept));
}

std::expected<void, Fault> import_and_report(OpenStore& portal, ImportFiles& input, const ImportArguments& arguments,
                                             const SettingValues& values, const std::string& pending,
                                             const std::string& sha256) {
  const std::string name = without_secrets(arguments.source);
  ImportOptions options = arguments.options;
  std::expected<ImportReport, Fault> report;
  std::optional<std::string> published;
  if (arguments.changes.empty()) {
    report = import_files(portal, input, name, options, arguments.json);
    if (!report) return std::unexpected(report.error());
  } else {
    SystemRandom random;
    const std::string run = correlation_id_of({}, random);
    options.author.correlation_id = run;
    auto changes = ChangesFile::open(arguments.changes, pending);
    if (!changes) return failure(changes.error());
    options.change_listener = &*changes;
    OpenStore reported{.url = portal.url, .store = std::make_unique<ReportedStore>(*portal.store, *changes)};
    report = import_files(reported, input, name, options, arguments.json);
    if (!report) return std::unexpected(report.error());
    const Instant now = SystemClock().now();
    std::string stamp = utc_text(now);  // of microseconds: the names of the files are in the order of the imports
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
    auto file =
        changes->publish(stamp + '-' + run + ".jsonl",
                         {.run = run, .finished = utc_text_to_the_second(now), .source = name, .sha256 = sha256});
    if (!file) return failure(file.error());
    published = std::move(*file);
  }
  (arguments.json ? print_json : print_summary)(*report, options.dry_run);
  if (published && !arguments.json) print_row("changes", *published);
  if (!options.dry_run) prune_and_print(portal, values.number("audit-retention"));
  return {};
}

Command import_command() {
  auto arguments = std::make_shared<ImportArguments>();
  ImportOptions& options = arguments->options;
  Command command{
      .name = "import",
      .help = "Import a document: mail objects, third parties, bundles, grants",
      .settings = {"store", "audit-retention"},
      .options = {{.name = "SOURCE",
                   .help =
                       "The JSON document: a file, - for standard input, an https URL, or an http URL of a loopback "
                       "address",
                   .field = &arguments->source,
                   .variable = "PORTAIL_SYNC_SOURCE",
                   .is_required = true},
                  {.name = "--root",
                   .help = "The folder of the template files (default: that of a file; else none)",
                   .field = &arguments->root,
                   .variable = "PORTAIL_SYNC_ROOT"},
                  {.name = "--replace-configuration",
                   .help = "Let the document override utilisablePourLiasse and typeAffectation",
                   .field = &options.replace_configuration,
                   .variable = "PORTAIL_SYNC_REPLACE_CONFIGURATION"},
                  {.name = "--prune",
                   .help = "Remove elements that the document lacks, in the sections that it has",
                   .field = &options.prune,
                   .variable = "PORTAIL_SYNC_PRUNE"},
                  {.name = "--yes",
                   .also = "--allow-empty-sections",
                   .help = "Allow an empty section to remove all its stored elements",
                   .field = &options.allow_empty_sections,
                   .variable = "PORTAIL_SYNC_YES"},
                  {.name = "--dry-run",
                   .help = "Print what would change in each entity, and write nothing",
                   .field = &options.dry_run},
                  {.name = "--changes",
                   .help = "Folder for the changes: a file of JSON lines for each import that has some",
                   .field = &arguments->changes,
                   .variable = "PORTAIL_SYNC_CHANGES"},
                  {.name = "--json",
                   .help = "Report as one JSON object; with --dry-run, after one JSON line per change",
                   .field = &arguments->json},
                  {.name = "--max-size",
                   .help = "Maximum size in MiB of the document of a URL or a pipe, or with --if-changed",
                   .field = &arguments->max_size,
                   .variable = "PORTAIL_SYNC_MAX_SIZE",
                   .shown_default = std::to_string(default_max_size)},
                  {.name = "--if-changed",
                   .help = "Import only a document that changed since the last run; --state, --checksum, "
                           "--metrics-file, --max-age, --allow-older and the variables need this flag",
                   .field = &arguments->if_changed},
                  {.name = "--state",
                   .help = "Folder of the state that the next run needs; default: $XDG_STATE_HOME/portail, or "
                           "~/.local/state/portail",
                   .field = &arguments->state,
                   .variable = "PORTAIL_SYNC_STATE",
                   .needs = "--if-changed"},
                  {.name = "--checksum",
                   .help = "SHA-256 that the document must have: a file or a URL, as sha256sum writes it",
                   .field = &arguments->checksum,
                   .variable = "PORTAIL_SYNC_CHECKSUM",
                   .needs = "--if-changed"},
                  {.name = "--metrics-file",
                   .help = "File of the result for the textfile collector of Prometheus' node exporter",
                   .field = &arguments->metrics_file,
                   .variable = "PORTAIL_SYNC_METRICS_FILE",
                   .needs = "--if-changed"},
                  {.name = "--max-age",
                   .help = "Age of the last success up to which an unavailable source is only a warning",
                   .field = &arguments->max_age,
                   .variable = "PORTAIL_SYNC_MAX_AGE",
                   .shown_default = "0",
                   .needs = "--if-changed"},
                  {.name = "--allow-older",
                   .help = "Import a document that is older than the imported one",
                   .field = &arguments->allow_older,
                   .needs = "--if-changed"},
                  {.name = "--timeout",
                   .help = "Maximum time of the fetches of URLs",
                   .field = &arguments->timeout,
                   .variable = "PORTAIL_SYNC_TIMEOUT",
                   .group = "Over HTTP",
                   .shown_default = "10min"},
                  {.name = "--part-size",
                   .help = "Size in MiB over which a document is sent in several parts",
                   .field = &arguments->part_size,
                   .group = "Over HTTP",
                   .shown_default = "16",
                   .needs = "--to"}},
      .variables_need = "--if-changed",
      .examples = {"portail import --store lmdb:data --dry-run portail.json",
                   "portail import --store lmdb:data --prune portail.json",
                   "portail import --store lmdb:data --if-changed --max-age 1d https://lender.example/portail.json",
                   "portail import --to https://manage.example --token-file token portail.json"},
      .run = [arguments](const SettingValues& values) { return run_import(*arguments, values); }};
  CommandOption& ca_file = add_remote_options(command.options, arguments->remote);
  ca_file.needs.clear();
  ca_file.help = "Certificate authorities of URLs and of the portal, PEM; default: the system's";
  ca_file.variable = "PORTAIL_SYNC_CA_FILE";
  return command;
}

}  // namespace portail
