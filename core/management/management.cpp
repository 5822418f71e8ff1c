#include "core/management/management.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "core/auth/authenticator.hpp"
#include "core/auth/caller.hpp"
#include "core/auth/permissions.hpp"
#include "core/auth/request_limits.hpp"
#include "core/base/text.hpp"
#include "core/exchange/data_state.hpp"
#include "core/exchange/export.hpp"
#include "core/exchange/export_source.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/problem.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/http/routing.hpp"
#include "core/http/target.hpp"
#include "core/management/call.hpp"
#include "core/management/endpoints.hpp"
#include "core/management/key_set.hpp"
#include "core/storage/format.hpp"

namespace portail {
namespace {

constexpr std::string_view record_failed =
    "the store cannot keep the audit record of this call, so there is no other answer: free space or repair the store, "
    "and send the request again";

constexpr std::string_view changed_meanwhile =
    "each attempt to read the store was disturbed by an import: send the request again when no import runs";

// GET /manage/export: the document, without its template files.
Task<Response> get_export(Context& context, const ManagementCall& call) {
  for (int attempt = 0; attempt < max_export_attempts; ++attempt) {
    const DataState state = co_await read_data_state(context, call.store);
    if (!state.is_complete) {
      // What an interrupted import left is exported, what a running one has written so far is not.
      const auto lease = co_await call.host.lock_import(context, call.author);
      if (!lease) co_return co_await import_conflict(context, call.store, lease.error());
      co_await outcome((*lease)->release(context));  // if it fails, the lock expires
    }
    auto source = std::make_unique<ExportSource>(call.store, state);
    if (co_await source->begin(context)) co_return streamed_answer(json_content_type, std::move(source));
  }
  co_return management_problem(503, changed_meanwhile);
}

using ManagementMethod = RouteMethod<ManagementEndpoint>;

struct ManagementRoute {
  RoutePattern pattern;
  std::span<const ManagementMethod> methods;
  std::span<const std::string_view> parameters = {};
  bool is_open = false;  // without a token
};

template <ManagementEndpoint endpoint>
constexpr std::array only_get{ManagementMethod{"GET", endpoint}};
constexpr std::array import_methods{ManagementMethod{"POST", post_import}};
constexpr std::array key_methods{ManagementMethod{"PUT", put_keys}};
constexpr std::array template_methods{ManagementMethod{"GET", get_template}, ManagementMethod{"PUT", put_template}};

constexpr std::array routes{ManagementRoute{RoutePattern("/manage/import"), import_methods, import_parameters},
                            ManagementRoute{RoutePattern("/manage/export"), only_get<get_export>},
                            ManagementRoute{RoutePattern("/manage/audit"), only_get<get_audit>, audit_parameters},
                            ManagementRoute{RoutePattern("/manage/check"), only_get<get_check>},
                            ManagementRoute{RoutePattern("/manage/status"), only_get<get_status>},
                            ManagementRoute{RoutePattern("/manage/keys"), key_methods},
                            ManagementRoute{RoutePattern("/manage/template-files/{id}"), template_methods},
                            ManagementRoute{RoutePattern("/manage/openapi.json"), only_get<get_open_api>, {}, true}};

bool may_change(const Request& request) { return request.method == "PUT" || request.method == "POST"; }

std::string_view query_of(const Request& request) {
  std::string_view query = request.target;
  take_until(query, '?');
  return query;
}

// Returns whether a call needs a record: every one of a caller with the permission, except that a change has its own.
// Those without it, or over the rate limit, would fill the store; they have an access line.
bool needs_record(const Request& request, const RequestSummary& summary, int status) {
  if ((summary.subject.empty() && summary.client.empty()) || status == 403 || status == 429) return false;
  return status != 200 || !may_change(request) || boolean_parameter(query_of(request), "dryRun").value_or(false);
}

std::string call_name(const Request& request, const RequestSummary& summary) {
  return std::string(request.method) + ' ' + std::string(summary.route);
}

Author author_of(std::string_view call, const RequestSummary& summary) {
  return {.route = call,
          .subject = summary.subject,
          .client = summary.client,
          .system_user = {},
          .correlation_id = summary.correlation_id};
}

// Answers, unless the store has the layout of a later version. An empty one is not exported: the document would replace
// the last good copy.
Task<Response> answer(Context& context, ManagementCall& call, ManagementEndpoint endpoint) {
  if (endpoint == get_open_api) co_return co_await endpoint(context, call);  // reads no store
  call.format = co_await read_format(context, call.store);
  const bool needs_portal = endpoint == get_export || endpoint == get_check;
  const bool is_usable = is_readable(call.format) &&
                         (!may_change(call.request) || call.format != FormatState::newer_minor) &&
                         (!needs_portal || call.format != FormatState::absent);
  if (!is_usable && endpoint != get_status) co_return management_problem(409, describe(call.format));
  co_return co_await endpoint(context, call);
}

}  // namespace

Management::Management(ManagementSettings settings, ManagementHost& host, KeySource& keys, KeyValueStore& store)
    : settings_(std::move(settings)), host_(host), keys_(keys), store_(store) {}

Task<Response> Management::handle(Context& context, const Request& request) const {
  RequestSummary summary;
  summary.correlation_id = correlation_id_of(request, context.random);
  Response response = co_await decide(context, request, summary);
  if (needs_record(request, summary, response.status)) {
    const std::string name = call_name(request, summary);
    const auto recorded = co_await outcome(
        record_call(context, store_, author_of(name, summary), summary.entity, query_of(request), response.status));
    if (!recorded) {
      response = management_problem(503, record_failed);
      summary.reason = reason_of(recorded.error());
    }
  }
  add_common_headers(response, summary.correlation_id);
  summary.access = response.status == 401 || response.status == 403 ? refused_access : "management";
  response.summary = std::move(summary);
  co_return response;
}

Task<std::optional<Response>> Management::authorize(Context& context, const Request& request,
                                                    RequestSummary& summary) const {
  constexpr Language language = Language::english;
  Identity identity = co_await identify(context, request, keys_, settings_.tokens, language);
  if (identity.refusal) {
    summary.reason = identity.reason;
    co_return std::move(*identity.refusal);
  }
  const Caller& caller = *identity.caller;
  summary.subject = caller.subject;
  summary.client = caller.client;
  if (context.limits) {
    if (const auto exceeded = context.limits->count_caller(caller)) {
      summary.reason = exceeded->reason;
      co_return too_many_requests_problem(language, *exceeded);
    }
  }
  if (!may_administer(caller, settings_.administrators)) {
    summary.reason = Reason::no_administration_permission;
    co_return permission_problem(language, Message::permission_missing, administration_permission);
  }
  co_return std::nullopt;
}

// The checks have the order of the public interface: transport, rate, token, permission, then route and method.
Task<Response> Management::decide(Context& context, const Request& request, RequestSummary& summary) const {
  constexpr Language language = Language::english;
  if (asks_server_options(request)) co_return server_options("GET, HEAD, POST, PUT, OPTIONS");
  const auto target = Target::parse(request.target);
  if (!target) co_return framing_problem(400, language, Message::malformed_target);
  const ManagementRoute* route = nullptr;
  std::string_view id;
  for (const ManagementRoute& candidate : routes) {
    const auto match = candidate.pattern.match(target->segments());
    if (!match) continue;
    route = &candidate;
    id = *match;
    break;
  }
  if (route) {
    summary.route = route->pattern.text();
    summary.entity = id;
  }
  if (!is_transport_secure(request, settings_.transport)) {
    summary.reason = insecure_transport_reason(settings_.transport);
    co_return problem(403, language, Message::insecure_transport);
  }
  if (context.limits) {
    if (const auto exceeded = context.limits->count_request()) {
      summary.reason = exceeded->reason;
      co_return too_many_requests_problem(language, *exceeded);
    }
  }
  if (!route || !route->is_open) {
    if (auto refusal = co_await authorize(context, request, summary)) co_return std::move(*refusal);
  }
  if (!route) co_return problem(404, language, Message::no_such_endpoint);
  const ManagementEndpoint endpoint = find_endpoint(route->methods, request.method);
  if (!endpoint) co_return method_not_allowed_problem(language, allowed_methods(route->methods));
  if (const auto fault = parameter_fault(target->query(), route->parameters)) {
    co_return management_problem(400, *fault);
  }

  const std::string name = call_name(request, summary);
  const Author author = author_of(name, summary);
  ManagementCall call{.request = request,
                      .query = target->query(),
                      .id = id,
                      .author = author,
                      .settings = settings_,
                      .keys = keys_,
                      .store = store_,
                      .host = host_};
  auto answered = co_await outcome(answer(context, call, endpoint));
  if (answered) co_return std::move(*answered);
  summary.reason = reason_of(answered.error());
  co_return failure_problem(context, answered.error(), language);
}

}  // namespace portail
