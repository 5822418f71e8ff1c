// The OpenAPI 3.1 document, and a page that shows it, below /swagger.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_open_api_document(Context& context, const Call& call);
// Answers the page; redirects to it from / and /swagger.
Task<Response> get_open_api_page(Context& context, const Call& call);

}  // namespace portail
