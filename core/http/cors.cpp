#include "core/http/cors.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/http/grammar.hpp"

namespace portail {
namespace {

constexpr std::string_view wildcard = "https://*.";

constexpr bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || is_ascii_digit(c) || c == '-' || c == '.' || c == '_';
}
bool is_host(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.back() != '.' && !text.contains("..") &&
         std::ranges::all_of(text, is_host_character);
}
// `host` or `host:port`; an IPv6 address stands in brackets.
bool is_authority(std::string_view text) {
  std::string_view port;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos && !text.ends_with(']')) {
    port = text.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_ascii_digit)) return false;
    text = text.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    return !text.empty() && std::ranges::all_of(text, [](char c) { return is_host_character(c) || c == ':'; });
  }
  return is_host(text);
}

bool is_exact_origin(std::string_view text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  const auto is_scheme_character = [](char c) {
    return (c >= 'a' && c <= 'z') || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
  };
  return std::ranges::all_of(text.substr(0, end), is_scheme_character) && is_authority(text.substr(end + 3));
}

bool is_wildcard(std::string_view setting) {
  return setting.starts_with(wildcard) && is_authority(setting.substr(wildcard.size()));
}

bool covers(std::string_view setting, std::string_view origin) {
  if (!is_wildcard(setting)) return is_exact_origin(setting) && setting == origin;
  constexpr std::string_view scheme = "https://";
  const std::string_view domain = setting.substr(wildcard.size() - 1);  // with its dot, and a port where there is one
  if (!origin.starts_with(scheme) || !origin.ends_with(domain) || origin.size() <= scheme.size() + domain.size()) {
    return false;
  }
  return is_host(origin.substr(scheme.size(), origin.size() - scheme.size() - domain.size()));
}

std::optional<std::string_view> allowed_origin(const Request& request, std::span<const std::string> allowed) {
  const auto origin = find_header(request, "Origin");
  if (!origin || count_headers(request, "Origin") != 1 || !is_allowed_origin(*origin, allowed)) return std::nullopt;
  return origin;
}

// What may be echoed: field names, their commas, and the white space between them.
bool is_list_of_names(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_token_character(c) || c == ',' || c == ' ' || c == '\t'; });
}

}  // namespace

bool is_origin_setting(std::string_view setting) { return is_wildcard(setting) || is_exact_origin(setting); }

bool is_allowed_origin(std::string_view origin, std::span<const std::string> allowed) {
  return std::ranges::any_of(allowed, [&](const std::string& setting) { return covers(setting, origin); });
}

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
       "_AbpErrorFormat, ETag, Content-Disposition, X-Correlation-Id, WWW-Authenticate, Retry-After"});
}

}  // namespace portail
