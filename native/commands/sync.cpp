#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/utc_text.hpp"
#include "native/commands/audit_prune.hpp"
#include "native/commands/command.hpp"
#include "native/commands/import_report.hpp"
#include "native/commands/import_run.hpp"
#include "native/settings/durations.hpp"
#include "native/sync/checksum.hpp"
#include "native/sync/file_source.hpp"
#include "native/sync/spooled_document.hpp"
#include "native/sync/sync_metrics.hpp"
#include "native/sync/sync_state.hpp"
#include "native/sync/url_source.hpp"
#include "native/system/small_file.hpp"
#include "native/system/system.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

struct SyncArguments {
  std::string source;
  std::string root;
  std::string state;
  std::string checksum;
  std::string changes;
  std::string metrics_file;
  std::string ca_file;
  std::optional<std::int64_t> max_size;  // MiB
  std::chrono::seconds timeout{600};
  std::chrono::seconds max_age{0};
  bool allow_older = false;
  bool force = false;
  ImportOptions options;
};

constexpr std::int64_t default_max_size = 1024;  // MiB

std::int64_t now_in_seconds() { return SystemClock().now().seconds(); }
std::string text_of(std::int64_t seconds) { return utc_text_to_the_second({seconds * 1'000'000}); }

// Where the state is by default: beneath XDG_STATE_HOME, or beneath ~/.local/state.
std::string default_state_folder() {
  const char* state_home = std::getenv("XDG_STATE_HOME");
  if (state_home && *state_home == '/') return std::string(state_home) + "/portail";
  const char* home = std::getenv("HOME");
  return std::string(home ? home : "") + "/.local/state/portail";
}

std::string without_secrets(const std::string& source) {
  return is_url(source) ? std::string(without_query(source)) : source;
}

std::string absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal();
}

// Names the source and the store uniquely, also from another working directory.
std::string sync_identity(const std::string& source, const StoreUrl& store, const std::string& store_text) {
  return (is_url(source) ? source : absolute_path(source)) + '\n' +
         (store.scheme->in_folder ? std::string(store.scheme->name) + ':' + absolute_path(store.folder())
                                  : without_password(store_text));
}

std::expected<void, Fault> check_location(const std::string& text, const std::string& what) {
  if (!is_url(text) || parse_source_url(text)) return {};
  return wrong_usage(what + " must be a file, an https URL, or an http URL of a loopback address");
}

// One run of the command.
class Synchronisation {
 public:
  Synchronisation(const SyncArguments& arguments, const SettingValues& values)
      : arguments_(arguments), values_(values), name_(without_secrets(arguments.source)) {}

  std::expected<void, Fault> run();

  // When the last success was, also if it is this one; nullopt if the store has no document.
  [[nodiscard]] std::optional<std::int64_t> succeeded_at() const {
    return state_ ? std::optional(state_->succeeded) : std::nullopt;
  }

 private:
  std::expected<std::optional<SourceVersion>, SyncFault> obtain(const std::optional<SourceVersion>& known,
                                                                SpooledDocument& spool) const;
  [[nodiscard]] std::expected<std::string, SyncFault> checksum_text() const;
  [[nodiscard]] std::expected<void, SyncFault> verify(const std::string& sha256) const;
  [[nodiscard]] std::expected<void, Fault> report(const SyncFault& fault) const;
  std::expected<void, Fault> import(OpenStore& portal, const SyncStateFile& file, SpooledDocument& spool,
                                    const std::string& sha256) const;
  std::expected<void, Fault> succeed(const SyncStateFile& file, std::string sha256, SourceVersion version);

  const SyncArguments& arguments_;
  const SettingValues& values_;
  std::string name_;  // of the source, in messages
  SourceLimits limits_ = {};
  std::optional<SyncState> state_ = {};
};

std::expected<void, Fault> Synchronisation::run() {
  limits_ = {.ca_file = arguments_.ca_file,
             .max_size = static_cast<std::uint64_t>(arguments_.max_size.value_or(default_max_size)) * 1024 * 1024,
             .deadline = std::chrono::steady_clock::now() + arguments_.timeout};
  const auto url = parse_store_url(values_.text("store"));
  if (!url) return wrong_usage(values_.where("store") + ": " + url.error());
  const std::string folder = arguments_.state.empty() ? default_state_folder() : arguments_.state;
  const auto file = SyncStateFile::open(folder, sync_identity(arguments_.source, *url, values_.text("store")));
  if (!file) return failure(file.error());
  auto state = file->read();
  if (!state) return failure(state.error());
  state_ = std::move(*state);
  auto portal = open_portal(values_, StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  // The store was replaced by an empty one.
  if (portal->empty) state_.reset();
  const std::optional<SyncState> known = state_;

  auto spool = SpooledDocument::create(folder);
  if (!spool) return failure(spool.error());
  const bool may_be_unchanged = known && !arguments_.force;
  const auto version = obtain(may_be_unchanged ? std::optional(known->version) : std::nullopt, *spool);
  if (!version) return report(version.error());
  if (!*version) {
    print_row("unchanged", name_);
    return succeed(*file, known->sha256, known->version);
  }
  const std::string sha256 = spool->finish();
  if (const auto verified = verify(sha256); !verified) return report(verified.error());
  if (may_be_unchanged && known->sha256 == sha256) {
    print_row("unchanged", name_);
    return succeed(*file, sha256, **version);
  }
  const auto modified = (*version)->modified;
  if (known && modified && known->version.modified && *modified < *known->version.modified && !arguments_.allow_older) {
    return failure(name_ + " is of " + text_of(*modified) + ", older than the imported version of " +
                   text_of(*known->version.modified) + "; if it must be imported, give --allow-older");
  }
  if (auto imported = import(*portal, *file, *spool, sha256); !imported) return imported;
  return succeed(*file, sha256, **version);
}

// Nullopt if the source has the version `known`.
std::expected<std::optional<SourceVersion>, SyncFault> Synchronisation::obtain(
    const std::optional<SourceVersion>& known, SpooledDocument& spool) const {
  if (is_url(arguments_.source)) return fetch_source(arguments_.source, limits_, known, spool);
  return copy_source(arguments_.source, limits_.max_size, spool);
}

std::expected<std::string, SyncFault> Synchronisation::checksum_text() const {
  if (is_url(arguments_.checksum)) return fetch_text(arguments_.checksum, limits_);
  auto text = read_small_file(arguments_.checksum, "--checksum");
  if (!text) return source_unavailable(std::move(text.error()));
  return std::move(*text);
}

std::expected<void, SyncFault> Synchronisation::verify(const std::string& sha256) const {
  if (arguments_.checksum.empty()) return {};
  const auto text = checksum_text();
  if (!text) return std::unexpected(text.error());
  const std::string checksum_name = without_secrets(arguments_.checksum);
  const auto expected = find_checksum(*text, name_.substr(name_.rfind('/') + 1));
  if (!expected) {
    return source_refused(checksum_name + " has no SHA-256 of " + name_ + "; write it with sha256sum");
  }
  if (*expected == sha256) return {};
  return source_refused(name_ + " has the SHA-256 " + sha256 + ", but " + checksum_name + " has " + *expected +
                        "; nothing was imported");
}

// A source that is unavailable is a failure only after --max-age.
std::expected<void, Fault> Synchronisation::report(const SyncFault& fault) const {
  if (fault.kind == SyncFaultKind::refused) return failure(fault.message);
  if (!state_) return failure(fault.message + "; no synchronisation has succeeded yet");
  const std::int64_t age = now_in_seconds() - state_->succeeded;
  std::string message = fault.message + "; the last synchronisation succeeded at " + text_of(state_->succeeded);
  if (age >= arguments_.max_age.count()) return failure(std::move(message));
  print_error(message + ", within --max-age");
  return {};
}

std::expected<void, Fault> Synchronisation::import(OpenStore& portal, const SyncStateFile& file, SpooledDocument& spool,
                                                   const std::string& sha256) const {
  const std::string root = !arguments_.root.empty() || is_url(arguments_.source)
                               ? arguments_.root
                               : (fs::path(arguments_.source).parent_path() / ".").string();
  auto input = ImportFiles::open(spool.release(), root);
  if (!input) return std::unexpected(input.error());

  const auto imported = import_with_changes(portal, *input, name_, arguments_.options,
                                            {.folder = arguments_.changes, .pending = file.id(), .sha256 = sha256});
  if (!imported) return std::unexpected(imported.error());
  print_summary(imported->report, false);
  if (imported->file) print_row("changes", *imported->file);
  prune_audit_or_report(portal, values_.number("audit-retention"));
  return {};
}

std::expected<void, Fault> Synchronisation::succeed(const SyncStateFile& file, std::string sha256,
                                                    SourceVersion version) {
  // Content may come again with an older date, or none; what is older than the newest date stays refused.
  const bool may_be_older = arguments_.allow_older && version.modified;
  if (state_ && !may_be_older) version.modified = std::max(version.modified, state_->version.modified);
  SyncState state{.sha256 = std::move(sha256), .version = std::move(version), .succeeded = now_in_seconds()};
  const auto written = file.write(name_, state);
  if (!written) return failure(written.error());
  state_ = std::move(state);
  return {};
}

std::expected<void, Fault> run_sync(const SyncArguments& arguments, const SettingValues& values) {
  if (auto valid = check_location(arguments.source, "the source"); !valid) return valid;
  if (auto valid = check_location(arguments.checksum, "--checksum"); !valid) return valid;
  constexpr std::int64_t largest_max_size = 1024 * 1024;  // a TiB
  if (arguments.max_size && (*arguments.max_size < 1 || *arguments.max_size > largest_max_size)) {
    return wrong_usage("--max-size must be from 1 to " + std::to_string(largest_max_size) + " MiB");
  }
  if (arguments.timeout.count() < 1) return wrong_usage("--timeout must be at least 1 second");
  if (arguments.max_age.count() < 0) return wrong_usage("--max-age must not be negative");
  Synchronisation synchronisation(arguments, values);
  auto done = synchronisation.run();
  if (arguments.metrics_file.empty()) return done;
  const ExitStatus status = done ? ExitStatus::success : done.error().status;
  const auto written = write_sync_metrics(arguments.metrics_file, {.source = without_secrets(arguments.source),
                                                                   .finished = now_in_seconds(),
                                                                   .exit_status = static_cast<int>(status),
                                                                   .succeeded_at = synchronisation.succeeded_at()});
  if (written) return done;
  if (done) return failure(written.error());
  print_error(written.error());
  return done;
}

}  // namespace

Command sync_command() {
  auto arguments = std::make_shared<SyncArguments>();
  ImportOptions& options = arguments->options;
  return {.name = "sync",
          .help = "Import a document from a file or a URL, if it has changed",
          .settings = {"store", "audit-retention"},
          .options = {{.name = "SOURCE",
                       .help = "The JSON document: a file, an https URL, or an http URL of a loopback address",
                       .field = &arguments->source,
                       .variable = "PORTAIL_SYNC_SOURCE",
                       .is_required = true},
                      {.name = "--state",
                       .help = "Folder of the state that the next run needs; default: $XDG_STATE_HOME/portail, or "
                               "~/.local/state/portail",
                       .field = &arguments->state,
                       .variable = "PORTAIL_SYNC_STATE"},
                      {.name = "--checksum",
                       .help = "SHA-256 that the document must have: a file or a URL, as sha256sum writes it",
                       .field = &arguments->checksum,
                       .variable = "PORTAIL_SYNC_CHECKSUM"},
                      {.name = "--changes",
                       .help = "Folder for the changes: a file of JSON lines for each run that has some",
                       .field = &arguments->changes,
                       .variable = "PORTAIL_SYNC_CHANGES"},
                      {.name = "--metrics-file",
                       .help = "File of the result for the textfile collector of Prometheus' node exporter",
                       .field = &arguments->metrics_file,
                       .variable = "PORTAIL_SYNC_METRICS_FILE"},
                      {.name = "--max-age",
                       .help = "Age of the last success up to which an unavailable source is only a warning",
                       .field = &arguments->max_age,
                       .variable = "PORTAIL_SYNC_MAX_AGE",
                       .shown_default = "0"},
                      {.name = "--allow-older",
                       .help = "Import a document that is older than the imported one",
                       .field = &arguments->allow_older},
                      {.name = "--force", .help = "Import also an unchanged document", .field = &arguments->force},
                      {.name = "--root",
                       .help = "The folder of the template files (default: that of a file; none for a URL)",
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
                      {.name = "--ca-file",
                       .help = "Certificate authorities for the URLs, PEM; default: the system's",
                       .field = &arguments->ca_file,
                       .variable = "PORTAIL_SYNC_CA_FILE"},
                      {.name = "--timeout",
                       .help = "Maximum time of the fetches of a run",
                       .field = &arguments->timeout,
                       .variable = "PORTAIL_SYNC_TIMEOUT",
                       .shown_default = "10min"},
                      {.name = "--max-size",
                       .help = "Maximum size of the document in MiB; default: " + std::to_string(default_max_size),
                       .field = &arguments->max_size,
                       .variable = "PORTAIL_SYNC_MAX_SIZE"}},
          .examples = {"portail sync --store lmdb:data --changes changes portail.json",
                       "portail sync --store lmdb:data --max-age 1d https://lender.example/portail.json"},
          .run = [arguments](const SettingValues& values) { return run_sync(*arguments, values); }};
}

}  // namespace portail
