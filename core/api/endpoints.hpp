// The endpoints of the interface (docs/reference/contract.md, "Endpoints" and "Also answered"). Each is defined in the
// file of its resource. Any thread.
#pragma once

#include <cstdint>

#include "core/api/endpoint.hpp"
#include "core/json/writer.hpp"

namespace portail {

// Document bundles, for /api/app/liasse and below.

Task<Response> list_own_bundles(Context& context, const Call& call);      // GET …
Task<Response> list_managed_bundles(Context& context, const Call& call);  // GET …/dashboard-list
Task<Response> get_bundle(Context& context, const Call& call);            // GET …/{id}

// Mail objects, for /api/app/objet-courrier and below.

Task<Response> list_mail_objects(Context& context, const Call& call);      // GET …
Task<Response> list_all_mail_objects(Context& context, const Call& call);  // GET …/list-all
Task<Response> get_mail_object(Context& context, const Call& call);        // GET …/{id}
Task<Response> get_template_file(Context& context, const Call& call);      // GET …/{id}/fichier-modele
// Refuses POST … and DELETE …/{id}: mail objects come from their source only.
Task<Response> reject_mail_object_change(Context& context, const Call& call);

// PUT …/{id}: the only change that clients may request (docs/reference/contract.md, "Requests: PUT body").
Task<Response> update_mail_object(Context& context, const Call& call);
// Returns the id of such a route.
std::uint64_t mail_object_id(const Call& call);

// What ABP front ends and clients request from every ABP service, for /api/abp.

Task<Response> get_application_configuration(Context& context, const Call& call);
Task<Response> get_application_localization(Context& context, const Call& call);
// Writes the portal's own localization resource, the names of its permissions and its messages, in the form of ABP's
// ApplicationLocalizationResourceDto. ABP looks up a text that it lacks in its base resource.
void write_portal_texts(JsonWriter& json, Language language);
// Answers ABP's model of the routes of /api/app, for its proxy generators and C# clients.
Task<Response> get_api_definition(Context& context, const Call& call);

// The probes: /health/live, /health/ready and ABP's /health-status. They report the names of the parts only.

Task<Response> get_liveness(Context& context, const Call& call);
// Reports readiness: the store and the key set are available, and the host is not stopping.
Task<Response> get_readiness(Context& context, const Call& call);

// The OpenAPI 3.1 document, and a page that shows it, below /swagger.

Task<Response> get_open_api_document(Context& context, const Call& call);
// Answers the page; redirects to it from / and /swagger.
Task<Response> get_open_api_page(Context& context, const Call& call);

}  // namespace portail
