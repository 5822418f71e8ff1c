// /manage/template-files/{id}: the template file of a mail object (docs/reference/management.md, "Import"). Any
// thread.
#pragma once

#include "core/management/call.hpp"

namespace portail {

// Returns the file that clients read, or 404.
Task<Response> get_template(Context& context, const ManagementCall& call);
// Deposits the body for the next import that has the mail object.
Task<Response> put_template(Context& context, const ManagementCall& call);

}  // namespace portail
