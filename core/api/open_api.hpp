// The interface described for people and generators: the OpenAPI 3.1 document, and a page that shows it, below
// /swagger.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_open_api_document(Context& context, const Call& call);
// Where the target is the server's address, or the page's folder: the way to the page.
Task<Response> get_open_api_page(Context& context, const Call& call);

}  // namespace portail
