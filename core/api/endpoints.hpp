// An endpoint is the handler of one method of one route. It is called after the checks common to all routes
// (core/api/service.cpp). Each is defined in the file of its resource. Any thread.
#pragma once

#include <string_view>

#include "core/api/settings.hpp"
#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/http/target.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The arguments of an endpoint. All references outlive the endpoint's Task. A streamed body may keep a reference to the
// store only.
struct Call {
  const Request& request;
  const Target& target;
  std::string_view id;   // the decoded segment of {id}; empty if the route has none
  const Caller* caller;  // null for an anonymous caller, on open routes only
  Language language;
  const Settings& settings;
  KeySource& keys;
  KeyValueStore& store;
  // Data for the log and the audit; endpoints add their own.
  RequestSummary& summary;
};

// The handler of a request. A failure becomes a 500 or 503 answer.
using Endpoint = Task<Response> (*)(Context& context, const Call& call);

// Lists of bundles (docs/reference/contract.md, "Answers: bundle lists"), in at most three batches of reads whatever
// their length, or five if the store has a revision and no answer is cached. A short list is buffered, and cached if
// the store has a revision. A longer list is streamed from the stored values, without buffering its JSON.

inline constexpr std::size_t max_buffered_bytes = 512 * 1024;  // a longer list is streamed

// Lists the caller's own bundles, or those that they manage.
Task<Response> list_bundles(Context& context, const Call& call, Relation relation);

// The endpoints of document bundles (docs/reference/contract.md, "Endpoints"), for /api/app/liasse and below.

Task<Response> list_own_bundles(Context& context, const Call& call);      // GET …
Task<Response> list_managed_bundles(Context& context, const Call& call);  // GET …/dashboard-list
Task<Response> get_bundle(Context& context, const Call& call);            // GET …/{id}

// The endpoints of mail objects (docs/reference/contract.md, "Endpoints"), for /api/app/objet-courrier and below.
Task<Response> list_mail_objects(Context& context, const Call& call);      // GET …?SkipCount&MaxResultCount
Task<Response> list_all_mail_objects(Context& context, const Call& call);  // GET …/list-all
Task<Response> get_mail_object(Context& context, const Call& call);        // GET …/{id}
Task<Response> get_template_file(Context& context, const Call& call);      // GET …/{id}/fichier-modele
// Refuses POST … and DELETE …/{id}: mail objects come from their source only.
Task<Response> reject_mail_object_change(Context& context, const Call& call);

// Whether a segment is a mail object's id: canonical decimal digits, at most 2^53 - 1. Other segments do not match the
// route.
bool is_mail_object_id(std::string_view segment);
std::uint64_t mail_object_id(const Call& call);

// The only change that clients may request (docs/reference/contract.md, "Requests: PUT body"): PUT …/{id}.
Task<Response> update_mail_object(Context& context, const Call& call);

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

// The probes: /health/live, /health/ready and ABP's /health-status. They report the names of the parts only.

Task<Response> get_liveness(Context& context, const Call& call);
// Reports readiness: the store and the key set are available, and the host is not stopping.
Task<Response> get_readiness(Context& context, const Call& call);

// The OpenAPI 3.1 document, and a page that shows it, below /swagger.

Task<Response> get_open_api_document(Context& context, const Call& call);
// Answers the page; redirects to it from / and /swagger.
Task<Response> get_open_api_page(Context& context, const Call& call);

}  // namespace portail
