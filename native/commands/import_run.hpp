// Imports files into a store, for `import` and `serve --import`. One thread.
#pragma once

#include <cstdint>
#include <expected>
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

}  // namespace portail
