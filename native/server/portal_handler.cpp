#include "native/server/portal_handler.hpp"

#include <utility>

#include "core/http/request.hpp"

namespace portail::server {
namespace {

Task<Response> ready_response(Context&, Response response) { co_return response; }

}  // namespace

// Not a coroutine: all arguments are used before the first wait.
Task<Response> PortalHandler::handle(Context& context, const Request& request) const {
  auto page_response = page_ ? page_->answer(context, request) : std::nullopt;
  if (!page_response) return service_.handle(context, request);
  RequestSummary summary = std::move(page_response->summary);
  summary.correlation_id = correlation_id_of(request, context.random);
  Request without_origin = request;
  if (is_same_origin_only(*page_response)) without_origin.headers = {};  // the answer gets no CORS headers
  return ready_response(context, service_.finish(std::move(*page_response), without_origin, std::move(summary)));
}

std::optional<Response> PortalHandler::shed(Context& context, const Request& request) const {
  return service_.shed(context, request);
}

}  // namespace portail::server
