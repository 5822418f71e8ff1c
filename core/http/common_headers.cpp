#include "core/http/common_headers.hpp"

#include <utility>

namespace portail {

void add_common_headers(Response& response, std::string correlation_id) {
  if (!find_header(response, "Cache-Control")) response.headers.push_back({"Cache-Control", "no-store"});
  response.headers.push_back({"Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Correlation-Id", std::move(correlation_id)});
}

}  // namespace portail
