// ABP's endpoints: the configuration of an application, its texts, and the description of the interface.
#pragma once

#include <string_view>

#include "core/api/endpoint.hpp"
#include "core/http/header_fields.hpp"
#include "core/json/writer.hpp"

namespace portail {

// The portal's own localization resource: the names of its permissions, and its messages. Constants; any thread.

// The resource's name, which is also the group of the permissions.
inline constexpr std::string_view portal_resource = "PortailClients";

// Writes the resource in the form of ABP's ApplicationLocalizationResourceDto. ABP looks up a text that it lacks in its
// base resource.
void write_portal_texts(JsonWriter& json, Language language);

// Endpoints that ABP front ends and clients request from every ABP service (docs/reference/contract.md, "Also
// answered"). For /api/abp.

Task<Response> get_application_configuration(Context& context, const Call& call);
Task<Response> get_application_localization(Context& context, const Call& call);
// Answers ABP's model of the routes of /api/app, for its proxy generators and C# clients.
Task<Response> get_api_definition(Context& context, const Call& call);

}  // namespace portail
