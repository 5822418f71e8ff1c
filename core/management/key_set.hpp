// PUT /manage/keys: stores a key set as config.jwks, from which components without the setting jwks take their keys
// (docs/reference/management.md, "Keys"). Any thread.
#pragma once

#include "core/management/call.hpp"

namespace portail {

Task<Response> put_keys(Context& context, const ManagementCall& call);

}  // namespace portail
