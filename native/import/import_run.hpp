// One import of a command, with its progress and its report.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/exchange/import.hpp"
#include "native/commands/command.hpp"
#include "native/commands/remote_options.hpp"
#include "native/import/document_source.hpp"
#include "native/import/import_files.hpp"
#include "native/system/terminal.hpp"

namespace portail {

// Reports an import: progress on a terminal, and results as text or JSON. One thread.

class ImportProgressBar final : public ImportProgress {
 public:
  // `size` is that of the document, in bytes. If `shown` is false, no progress is shown on a terminal either.
  ImportProgressBar(std::uint64_t size, bool shown) : size_(size), bar_(shown) {}
  void advance(ImportPhase phase, std::uint64_t done) override;

 private:
  std::uint64_t size_;
  ProgressBar bar_;
};

// Prints a line for each change: "changed liasses \"L-1\": nomDossier, piecesAttendues".
class TextChanges final : public ImportChangeListener {
 public:
  void on_change(const EntityChange& change) override;
};

// Prints a line of JSON for each change: {"change":"changed","section":"liasses","entity":"L-1","members":[…]}.
class JsonChanges final : public ImportChangeListener {
 public:
  void on_change(const EntityChange& change) override;
};

// Prints faults on standard error, one a line.
void print_faults(const ImportReport& report);
// Prints the result of an import without faults on standard output.
void print_summary(const ImportReport& report, bool dry_run);
// Prints the result and the faults of an import as one JSON object on standard output.
void print_json(const ImportReport& report, bool dry_run);

// Imports into a store, for `import` and `serve --import`. One thread.

// Acquires the import lock, and imports. `name` is the document's in messages. Progress and the document's faults go to
// standard error; with `json` the faults go to standard output. The returned fault states what to do; a returned report
// has no faults. Sets the audit's user in `options`, and a correlation id unless it has one.
std::expected<ImportReport, Fault> import_files(OpenStore& portal, ImportFiles& input, const std::string& name,
                                                ImportOptions options, bool json = false);

// The command line of `import`.
struct ImportArguments {
  std::string source;  // a file, "-" for standard input, or a URL
  std::string root;
  std::string changes;
  ImportOptions options;
  bool json = false;
  RemoteArguments remote;
  std::optional<std::int64_t> part_size;  // MiB
  std::optional<std::int64_t> max_size;   // MiB
  std::chrono::seconds timeout{600};
  bool if_changed = false;
  // The others need if_changed.
  std::string state;
  std::string checksum;
  std::string metrics_file;
  std::chrono::seconds max_age{0};
  bool allow_older = false;

  // Of the requests for the source, which begin now.
  [[nodiscard]] SourceLimits source_limits() const;
};

// Returns a file as it is, and a URL without its query, for messages.
std::string without_secrets(const std::string& source);

// Imports, writes the file of --changes (native/import/changes_file.hpp), prints the result, and prunes the audit.
// `pending` is the id of the pending file, one for each source; `sha256` that of the document, empty if unknown.
std::expected<void, Fault> import_and_report(OpenStore& portal, ImportFiles& input, const ImportArguments& arguments,
                                             const SettingValues& values, const std::string& pending,
                                             const std::string& sha256);

// Imports the source if it is not the version that the last run imported, which the state has.
std::expected<void, Fault> import_if_changed(const ImportArguments& arguments, const SettingValues& values);

}  // namespace portail
