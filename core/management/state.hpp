// GET /manage/status and GET /manage/check (docs/reference/management.md, "Calls"). Any thread.
#pragma once

#include "core/management/call.hpp"

namespace portail {

// Reads a few values: the version, the layout of the store, the keys, and the last import.
Task<Response> get_status(Context& context, const ManagementCall& call);
// Reads the whole store, and counts its contents.
Task<Response> get_check(Context& context, const ManagementCall& call);

}  // namespace portail
