// The endpoints of document bundles (seed, section 4.2). For /api/app/liasse and what is below it.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> list_own_bundles(Context& context, const Call& call);      // GET …
Task<Response> list_managed_bundles(Context& context, const Call& call);  // GET …/dashboard-list
Task<Response> get_bundle(Context& context, const Call& call);            // GET …/{id}

}  // namespace portail
