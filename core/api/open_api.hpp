// The interface described for people and generators: the OpenAPI 3.1 document, and a page that shows it. For /swagger.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> get_open_api_document(Context& context, const Call& call);
Task<Response> get_open_api_page(Context& context, const Call& call);

}  // namespace portail
