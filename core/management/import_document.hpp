// POST /manage/import: imports the document that is the body (docs/reference/management.md, "Import"). Any thread.
#pragma once

#include "core/management/call.hpp"

namespace portail {

// Parameters: dryRun, prune, override, allowEmptySections and changes, each true or false.
Task<Response> post_import(Context& context, const ManagementCall& call);

}  // namespace portail
