#include "native/shadow/recorded_request.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/target.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "native/system/log.hpp"

namespace portail::shadow {
namespace {

constexpr std::array recorded_parameters{std::string_view("SkipCount"), std::string_view("MaxResultCount"),
                                         std::string_view("Sorting"), std::string_view("Filter"),
                                         std::string_view("includeLocalizationResources")};

bool is_recorded(std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  return std::ranges::any_of(recorded_parameters,
                             [name](std::string_view each) { return equals_ignoring_case(each, name); });
}

std::string recorded_target(std::string_view target) {
  std::string_view query = target;
  std::string recorded(take_until(query, '?'));
  char separator = '?';
  while (!query.empty()) {
    const std::string_view parameter = take_until(query, '&');
    if (!is_recorded(parameter)) continue;
    recorded.append(1, separator).append(parameter);
    separator = '&';
  }
  return recorded;
}

// Returns the target of a line of the portal's log, which has the route's pattern and perhaps the id.
std::expected<RecordedRequest, Skip> request_of_log(std::string_view method, std::string_view route, JsonObject line) {
  constexpr std::string_view id = "{id}";
  const std::size_t braces = route.find(id);
  const auto entity = string_member(line, "entity");
  const bool is_access_line = string_member(line, "event") == "access";
  if (!route.starts_with('/')) return std::unexpected(Skip::path);
  // The request line of the same request has its method and route.
  if (is_access_line && braces == std::string_view::npos) return std::unexpected(Skip::not_a_request);
  RecordedRequest request{.method = std::string(method), .target = std::string(route)};
  if (braces == std::string_view::npos) return request;
  if (!entity) return std::unexpected(method == "GET" || method == "HEAD" ? Skip::no_target : Skip::method);
  request.target.replace(braces, id.size(), percent_encoded(*entity));
  return request;
}

std::expected<RecordedRequest, Skip> request_of_json(JsonObject line) {
  const auto method = string_member(line, "method");
  const auto target = string_member(line, "target");
  if (method && target) {
    const auto has_token = member(line, "token");
    return RecordedRequest{.method = std::string(*method),
                           .target = std::string(*target),
                           .accept_language = std::string(string_member(line, "acceptLanguage").value_or("")),
                           .has_token = !has_token || boolean_of(*has_token).value_or(true)};
  }
  const auto route = string_member(line, "route");
  if (method && route) return request_of_log(*method, *route, line);
  return std::unexpected(Skip::not_a_request);
}

// Returns the request of "GET /path HTTP/1.1" in quotes.
std::optional<RecordedRequest> quoted_request(std::string_view line) {
  for (std::size_t quote = line.find('"'); quote != std::string_view::npos; quote = line.find('"', quote + 1)) {
    std::string_view text = line.substr(quote + 1);
    text = text.substr(0, text.find('"'));
    const std::string_view method = take_until(text, ' ');
    const std::string_view target = take_until(text, ' ');
    if (is_token(method) && target.starts_with('/') && text.starts_with("HTTP/"))
      return RecordedRequest{.method = std::string(method), .target = std::string(target)};
  }
  return std::nullopt;
}

}  // namespace

std::string record_line(const RecordedRequest& request) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().name("method").string(request.method);
  json.name("target").raw(log_string(recorded_target(request.target)));
  if (!request.accept_language.empty()) json.name("acceptLanguage").raw(log_string(request.accept_language));
  json.name("token").boolean(request.has_token).end_object();
  return line;
}

std::expected<RecordedRequest, Skip> parse_request_line(std::string_view line) {
  const std::size_t brace = line.find('{');
  if (brace != std::string_view::npos) {
    const auto document = parse_json(line.substr(brace));
    const auto object = document ? object_of(document->root()) : std::nullopt;
    if (object) return request_of_json(*object);
  }
  if (auto request = quoted_request(line)) return std::move(*request);
  return std::unexpected(Skip::not_a_request);
}

}  // namespace portail::shadow
