#include "native/server/portal_handler.hpp"

#include <utility>

#include "core/http/correlation.hpp"

namespace portail {
namespace {

Task<Response> given(Context&, Response response) { co_return response; }

}  // namespace

// No coroutine: what it needs goes before anything is waited for.
Task<Response> PortalHandler::handle(Context& context, const Request& request) const {
  auto of_page = page_ ? page_->answer(context, request) : std::nullopt;
  if (!of_page) return service_.handle(context, request);
  RequestSummary summary = std::move(of_page->summary);
  summary.correlation_id = correlation_id_of(request, context.random);
  Request asked = request;
  if (is_for_own_origin_alone(*of_page)) asked.headers = {};  // an answer without CORS: none to the request's Origin
  return given(context, service_.finish(std::move(*of_page), asked, std::move(summary)));
}

std::optional<Response> PortalHandler::shed(Context& context, const Request& request) const {
  return service_.shed(context, request);
}

}  // namespace portail
