// The probes: /health/live, /health/ready and ABP's /health-status. No details beyond the parts' names.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_liveness(Context& context, const Call& call);
// Ready while the store and the key set answer, and the host is not stopping.
Task<Response> get_readiness(Context& context, const Call& call);

}  // namespace portail
