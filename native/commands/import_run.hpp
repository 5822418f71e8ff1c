// An import from files into a store, as `import` and `serve --import` do it. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/exchange/import.hpp"
#include "native/commands/command.hpp"

namespace portail {

enum class ReportForm : std::uint8_t { lines, json };

// Takes the lock that keeps a second import out, and imports. Progress, and each fault of the document, go to standard
// error, the faults as JSON to standard output where that is the form; the fault that is returned says what to do. A
// report has no faults. Who imports, for the audit, is filled in.
std::expected<ImportReport, Fault> import_files(OpenStore& portal, const std::string& document, const std::string& root,
                                                ImportOptions options, ReportForm form = ReportForm::lines);

}  // namespace portail
