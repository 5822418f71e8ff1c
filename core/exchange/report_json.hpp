// The result of an import as JSON, for `import --json` and the management interface.
// Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/exchange/changes.hpp"
#include "core/exchange/import.hpp"

namespace portail {

// Returns "added", "changed" or "removed".
std::string_view name_of(ChangeKind kind);

// Returns {"change":"changed","section":"liasses","entity":"L-1","members":["piecesAttendues"],"pieces":[{"id":"…",
// "from":"Attendu","to":"Déposé"}],"time":"…"}. Without such pieces, or a time, that member is absent.
std::string change_json(const EntityChange& change, std::optional<Instant> time);

// Returns {"dryRun":…,"sections":{…},"deposits":…,"unknownStatuses":[…],"piecesOfFurtherStatuses":…,"faults":[…],
// "faultCount":…,"droppedTemplateFiles":[…],"changesTruncated":true}. Sections that the document lacks are absent, as
// are the last two members if there are no such files, and if the changes are complete.
std::string report_json(const ImportReport& report, bool dry_run);

}  // namespace portail
