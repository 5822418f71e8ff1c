// Imports files into a store, for `import` and `serve --import`. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "core/exchange/import.hpp"
#include "native/commands/command.hpp"
#include "native/commands/import_files.hpp"

namespace portail {

enum class ReportForm : std::uint8_t { lines, json };

// Acquires the import lock, and imports. `name` is the document's in messages. Progress and the document's faults go to
// standard error; with ReportForm::json the faults go to standard output. The returned fault states what to do; a
// returned report has no faults. Sets the audit's user in `options`, and a correlation id unless it has one.
std::expected<ImportReport, Fault> import_files(OpenStore& portal, ImportFiles& input, const std::string& name,
                                                ImportOptions options, ReportForm form = ReportForm::lines);

struct ChangesTarget {
  std::string folder;
  std::string pending;  // the id of the pending file: one for each source
  std::string sha256;   // of the document; empty if unknown
};

struct ImportWithChanges {
  ImportReport report;
  std::optional<std::string> file;  // nullopt: nothing has changed
};

// The same, and publishes a file of the changes in the folder (native/sync/changes_file.hpp).
std::expected<ImportWithChanges, Fault> import_with_changes(OpenStore& portal, ImportFiles& input,
                                                            const std::string& name, ImportOptions options,
                                                            const ChangesTarget& target,
                                                            ReportForm form = ReportForm::lines);

}  // namespace portail
