// GET /manage/openapi.json: the OpenAPI 3.1 document of the management interface, open_api.json, which the build
// embeds. Any thread.
#pragma once

#include "core/management/call.hpp"

namespace portail {

Task<Response> get_open_api(Context& context, const ManagementCall& call);

}  // namespace portail
