#include "core/api/service.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/api/routes.hpp"
#include "core/auth/authenticator.hpp"
#include "core/auth/caller.hpp"
#include "core/auth/request_limits.hpp"
#include "core/http/cors.hpp"
#include "core/http/problem.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/http/transport.hpp"

namespace portail {
namespace {

constexpr int shed_retry_after_seconds = 1;

// Load balancers probe with OPTIONS by default (HAProxy), and need the status of GET.
std::string allowed_methods_of(const Route& route) {
  return allowed_methods(route.methods) + (route.access == Access::probe ? ", OPTIONS" : "");
}

}  // namespace

Service::Service(Settings settings, KeySource& keys, KeyValueStore& store)
    : settings_(std::move(settings)), keys_(&keys), store_(&store) {}

Task<Response> Service::handle(Context& context, const Request& request) const {
  RequestSummary summary;
  summary.correlation_id = correlation_id_of(request, context.random);
  Response response = co_await decide(context, request, summary);
  co_return finish(std::move(response), request, std::move(summary));
}

std::optional<Response> Service::shed(Context& context, const Request& request) const {
  const auto target = Target::parse(request.target);
  const auto found = target ? find_route(*target) : std::nullopt;
  if (found && found->route->access == Access::probe) return std::nullopt;
  RequestSummary summary;
  summary.correlation_id = correlation_id_of(request, context.random);
  if (found) summary.route = found->route->pattern.text();
  auto answer = preflight_answer(request, settings_.allowed_origins);
  if (!answer) {
    summary.reason = Reason::overloaded;
    answer = unavailable_problem(preferred_language(request), shed_retry_after_seconds);
  }
  return finish(std::move(*answer), request, std::move(summary));
}

Response Service::finish(Response response, const Request& request, RequestSummary summary) const {
  add_cors_headers(response, request, settings_.allowed_origins);
  if (settings_.transport == Transport::direct && request.scheme_is_https) {
    response.headers.push_back({"Strict-Transport-Security", "max-age=31536000"});
  }
  add_common_headers(response, summary.correlation_id);
  if (response.status == 401 || response.status == 403) summary.access = refused_access;
  response.summary = std::move(summary);
  return response;
}

// The order of checks (docs/reference/contract.md, "Requests: order of checks"), from the framing to the endpoint.
Task<Response> Service::decide(Context& context, const Request& request, RequestSummary& summary) const {
  const Language language = preferred_language(request);
  if (asks_server_options(request)) co_return server_options("GET, HEAD, PUT, OPTIONS");
  const auto target = Target::parse(request.target);
  if (!target) co_return framing_problem(400, language, Message::malformed_target);

  const auto found = find_route(*target);
  if (found) summary.route = found->route->pattern.text();
  if (found) summary.entity = found->id;
  const Access access = needs_token(*target) ? Access::token : found ? found->route->access : Access::open;
  if (access != Access::probe && !is_transport_secure(request, settings_.transport)) {
    summary.reason = insecure_transport_reason(settings_.transport);
    co_return problem(403, language, Message::insecure_transport);
  }
  if (auto preflight = preflight_answer(request, settings_.allowed_origins)) co_return std::move(*preflight);
  if (access != Access::probe && context.limits) {
    if (const auto exceeded = context.limits->count_request()) {
      summary.reason = exceeded->reason;
      co_return too_many_requests_problem(language, *exceeded);
    }
  }

  Identity identity;
  if (access != Access::probe) identity = co_await identify(context, request, *keys_, settings_.tokens, language);
  if (access == Access::token && identity.refusal) {
    summary.reason = identity.reason;
    summary.access = refused_access;
    co_return std::move(*identity.refusal);
  }
  if (identity.caller && context.limits) {
    const auto exceeded = context.limits->count_caller(*identity.caller);
    if (exceeded) {
      summary.reason = exceeded->reason;
      co_return too_many_requests_problem(language, *exceeded);
    }
  }

  if (identity.caller) summary.subject = identity.caller->subject;
  if (identity.caller) summary.client = identity.caller->client;
  co_return co_await answer(context, request, *target, found, identity.caller.get(), language, summary);
}

Task<Response> Service::answer(Context& context, const Request& request, const Target& target,
                               std::optional<FoundRoute> found, const Caller* caller, Language language,
                               RequestSummary& summary) const {
  if (!found) co_return problem(404, language, Message::no_such_endpoint);
  const bool is_options_probe = request.method == "OPTIONS" && found->route->access == Access::probe;
  const Endpoint endpoint = find_endpoint(found->route->methods, is_options_probe ? "GET" : request.method);
  if (!endpoint) co_return method_not_allowed_problem(language, allowed_methods_of(*found->route));

  const Call call{.request = request,
                  .target = target,
                  .id = found->id,
                  .caller = caller,
                  .language = language,
                  .settings = settings_,
                  .keys = *keys_,
                  .store = *store_,
                  .summary = summary};
  auto answered = co_await outcome(endpoint(context, call));
  if (answered && is_options_probe) answered->headers.push_back({"Allow", allowed_methods_of(*found->route)});
  if (answered) co_return std::move(*answered);
  summary.reason = reason_of(answered.error());
  if (summary.reason != Reason::none) summary.access = refused_access;
  co_return failure_problem(context, answered.error(), language);
}

}  // namespace portail
