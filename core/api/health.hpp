// The probes: /health/live, /health/ready and ABP's /health-status. They report the names of the parts only.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_liveness(Context& context, const Call& call);
// Reports readiness: the store and the key set are available, and the host is not stopping.
Task<Response> get_readiness(Context& context, const Call& call);

}  // namespace portail
