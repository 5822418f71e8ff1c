#include "core/http/cors.hpp"

#include <algorithm>

#include "core/http/grammar.hpp"
#include "core/http/origin.hpp"

namespace portail {
namespace {

std::optional<std::string_view> allowed_origin(const Request& request, std::span<const std::string> allowed) {
  const auto origin = find_header(request, "Origin");
  if (!origin || count_headers(request, "Origin") != 1 || !is_allowed_origin(*origin, allowed)) return std::nullopt;
  return origin;
}

// Returns whether `text` may be echoed: field names, commas and white space.
bool is_list_of_names(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_token_character(c) || c == ',' || c == ' ' || c == '\t'; });
}

}  // namespace

std::optional<Response> preflight_answer(const Request& request, std::span<const std::string> allowed) {
  if (request.method != "OPTIONS") return std::nullopt;
  const auto method = find_header(request, "Access-Control-Request-Method");
  if (!method || !is_token(*method) || !allowed_origin(request, allowed)) return std::nullopt;

  Response response;
  response.status = 204;
  response.headers.push_back({"Access-Control-Allow-Methods", std::string(*method)});
  const auto names = find_header(request, "Access-Control-Request-Headers");
  if (names && !names->empty() && is_list_of_names(*names)) {
    response.headers.push_back({"Access-Control-Allow-Headers", std::string(*names)});
  }
  response.headers.push_back({"Access-Control-Max-Age", "7200"});
  return response;
}

void add_cors_headers(Response& response, const Request& request, std::span<const std::string> allowed) {
  const auto origin = allowed_origin(request, allowed);
  if (!origin) return;
  response.headers.push_back({"Access-Control-Allow-Origin", std::string(*origin)});
  response.headers.push_back({"Access-Control-Allow-Credentials", "true"});
  response.headers.push_back(
      {"Access-Control-Expose-Headers",
       "_AbpErrorFormat, ETag, Content-Disposition, X-Correlation-Id, WWW-Authenticate, Retry-After, "
       "RateLimit-Policy, RateLimit"});
}

}  // namespace portail
