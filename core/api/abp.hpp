// What ABP front ends and clients ask of every ABP service (docs/reference/contract.md, "Also answered"). For /api/abp.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_application_configuration(Context& context, const Call& call);
Task<Response> get_application_localization(Context& context, const Call& call);
// ABP's model of the routes of /api/app, which its proxy generators and C# clients fetch.
Task<Response> get_api_definition(Context& context, const Call& call);

}  // namespace portail
