// The headers of every answer (docs/reference/contract.md, "Answers: always"). Any thread.
#pragma once

#include <string>

#include "core/http/response.hpp"

namespace portail {

// Adds Vary, X-Content-Type-Options, X-Correlation-Id, and Cache-Control: no-store if the answer has no Cache-Control.
void add_common_headers(Response& response, std::string correlation_id);

}  // namespace portail
