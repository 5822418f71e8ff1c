// The endpoints of document bundles (docs/reference/contract.md, "Endpoints"), for /api/app/liasse and below.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> list_own_bundles(Context& context, const Call& call);      // GET …
Task<Response> list_managed_bundles(Context& context, const Call& call);  // GET …/dashboard-list
Task<Response> get_bundle(Context& context, const Call& call);            // GET …/{id}

}  // namespace portail
