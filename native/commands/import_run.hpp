// Imports files into a store, for `import` and `serve --import`. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/exchange/import.hpp"
#include "native/commands/command.hpp"

namespace portail {

enum class ReportForm : std::uint8_t { lines, json };

// Acquires the import lock, and imports. Progress and the document's faults go to standard error; with ReportForm::json
// the faults go to standard output. The returned fault states what to do; a returned report has no faults. Sets the
// audit's user in `options`.
std::expected<ImportReport, Fault> import_files(OpenStore& portal, const std::string& document, const std::string& root,
                                                ImportOptions options, ReportForm form = ReportForm::lines);

}  // namespace portail
