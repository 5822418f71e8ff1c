// Endpoints that ABP front ends and clients request from every ABP service (docs/reference/contract.md, "Also
// answered"). For /api/abp.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_application_configuration(Context& context, const Call& call);
Task<Response> get_application_localization(Context& context, const Call& call);
// Answers ABP's model of the routes of /api/app, for its proxy generators and C# clients.
Task<Response> get_api_definition(Context& context, const Call& call);

}  // namespace portail
