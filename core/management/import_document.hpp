// POST /manage/import: imports the document that is the body (docs/reference/management.md, "Import"). Any thread.
#pragma once

#include <array>
#include <string_view>

#include "core/management/call.hpp"

namespace portail {

// Each is true or false.
inline constexpr std::array<std::string_view, 5> import_parameters{"dryRun", "prune", "override", "allowEmptySections",
                                                                   "changes"};
Task<Response> post_import(Context& context, const ManagementCall& call);

}  // namespace portail
