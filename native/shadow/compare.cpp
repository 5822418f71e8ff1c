#include "native/shadow/compare.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <set>
#include <string_view>

#include "core/api/routes.hpp"
#include "core/base/text.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/response.hpp"
#include "core/http/target.hpp"
#include "core/json/reader.hpp"
#include "native/shadow/compare_json.hpp"
#include "native/shadow/difference.hpp"
#include "native/system/terminal.hpp"

namespace portail::shadow {
namespace {

enum class HeaderMeaning : std::uint8_t {
  presence,     // the value is opaque
  text,         // without regard to ASCII case
  list,         // names and directives without an order
  media_type,   // type and parameters
  challenge,    // scheme and error; the description is left open
  disposition,  // type and decoded file name
};

struct HeaderRule {
  std::string_view name;
  RowName row;
  HeaderMeaning meaning;
};

constexpr std::array header_rules{
    HeaderRule{"Content-Type", "Answers: content type", HeaderMeaning::media_type},
    HeaderRule{"Content-Disposition", "Answers: template file", HeaderMeaning::disposition},
    HeaderRule{"Content-Security-Policy", "Answers: template file", HeaderMeaning::text},
    HeaderRule{"ETag", "Answers: validators, ETag on every 200", HeaderMeaning::presence},
    HeaderRule{"Cache-Control", "Answers: caching", HeaderMeaning::list},
    HeaderRule{"Vary", "Answers: caching, Vary", HeaderMeaning::list},
    HeaderRule{"X-Content-Type-Options", "Answers: always, nosniff", HeaderMeaning::text},
    HeaderRule{"X-Correlation-Id", "Answers: always, X-Correlation-Id", HeaderMeaning::presence},
    HeaderRule{"WWW-Authenticate", "Tokens: 401", HeaderMeaning::challenge},
    HeaderRule{"_AbpErrorFormat", "Errors: body and _AbpErrorFormat", HeaderMeaning::text},
    HeaderRule{"Allow", "Requests: methods, 405 and Allow", HeaderMeaning::list},
    HeaderRule{"Retry-After", "Errors: 503", HeaderMeaning::presence},
    HeaderRule{"Content-Language", "Errors: language", HeaderMeaning::list}};
constexpr RowName file_row = "Answers: template file";

// The name of a parameter, in lower case, and its value without quotes.
struct Parameter {
  std::string name;
  std::string value;
};

Parameter parse_parameter(std::string_view item) {
  const std::string_view name = take_until(item, '=');
  return {lower_case(trimmed(name)), parameter_value(trimmed(item)).value_or(std::string(trimmed(item)))};
}

// Calls visit(item) for each item that is not empty.
template <class Visit>
void for_each_item(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    if (const std::string_view item = take_item(text, separator); !item.empty()) visit(item);
  }
}

std::string joined(const std::set<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += item + '\n';
  return text;
}

std::string list_identity(std::string_view text) {
  std::set<std::string> items;
  for_each_item(text, ',', [&items](std::string_view item) { items.insert(lower_case(item)); });
  return joined(items);
}

std::string media_type_identity(std::string_view text) {
  const std::string type = lower_case(take_item(text, ';'));
  std::set<std::string> parameters;
  for_each_item(text, ';', [&parameters](std::string_view item) {
    const Parameter parameter = parse_parameter(item);
    parameters.insert(parameter.name + '=' + lower_case(parameter.value));
  });
  return type + '\n' + joined(parameters);
}

std::string challenge_identity(std::string_view text) {
  std::string identity = lower_case(take_until(text, ' '));
  for_each_item(text, ',', [&identity](std::string_view item) {
    const Parameter parameter = parse_parameter(item);
    if (parameter.name == "error") identity += " error=" + parameter.value;
  });
  return identity;
}

std::string percent_decoded_text(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = percent_decoded(text, i);
    decoded += byte.value_or(text[i]);
    if (byte) i += 2;
  }
  return decoded;
}

// Of two file names, the one with an encoding precedes (RFC 6266 section 4.3).
std::string disposition_identity(std::string_view text) {
  const std::string type = lower_case(take_item(text, ';'));
  std::string name;
  std::optional<std::string> encoded;
  for_each_item(text, ';', [&](std::string_view item) {
    const Parameter parameter = parse_parameter(item);
    if (parameter.name == "filename") name = parameter.value;
    if (parameter.name == "filename*")
      encoded = percent_decoded_text(std::string_view(parameter.value).substr(parameter.value.rfind('\'') + 1));
  });
  return type + '\n' + encoded.value_or(name);
}

std::string header_identity(HeaderMeaning meaning, std::string_view value) {
  switch (meaning) {
    case HeaderMeaning::presence:
      return {};
    case HeaderMeaning::text:
      return lower_case(trimmed(value));
    case HeaderMeaning::list:
      return list_identity(value);
    case HeaderMeaning::media_type:
      return media_type_identity(value);
    case HeaderMeaning::challenge:
      return challenge_identity(value);
    case HeaderMeaning::disposition:
      return disposition_identity(value);
  }
  return std::string(value);
}

// The lines of a repeated header are one list (RFC 9110 section 5.3).
std::optional<std::string> combined_header(const Headers& headers, std::string_view name) {
  std::optional<std::string> combined;
  for (const auto& [each, value] : headers) {
    if (!equals_ignoring_case(each, name)) continue;
    combined = combined ? *combined + ", " + value : value;
  }
  return combined;
}

ShownValue shown_header(const std::optional<std::string>& value) {
  return value ? shown_text(*value) : shown_absence();
}

}  // namespace

void compare_headers(const Headers& portal, const Headers& upstream, bool is_file, Differences& found) {
  for (const HeaderRule& rule : header_rules) {
    const auto ours = combined_header(portal, rule.name);
    const auto theirs = combined_header(upstream, rule.name);
    if (!ours && !theirs) continue;
    if (ours && theirs && header_identity(rule.meaning, *ours) == header_identity(rule.meaning, *theirs)) continue;
    found.push_back({.row = is_file && rule.meaning == HeaderMeaning::media_type ? file_row : rule.row,
                     .location = "header " + std::string(rule.name),
                     .portal = shown_header(ours),
                     .upstream = shown_header(theirs)});
  }
}

namespace {

constexpr std::string_view compared_root = "/api/";
constexpr std::string_view file_route = "/api/app/objet-courrier/{id}/fichier-modele";
constexpr RowName routes_row = "Requests: routes, the nine of the interface";
constexpr RowName file_row_of_body = "Answers: template file";
constexpr RowName body_row = "Answers: JSON text";

// Returns the row of a 404 or a 200 for an unknown entity.
RowName row_of_absence(std::string_view route) {
  if (route == file_route) return "Answers: template file, 404";
  return route.ends_with("/{id}") ? RowName("Errors: 404 of an entity") : routes_row;
}

// Returns the row that defines this status on this route.
RowName row_of_status(std::string_view route, int status) {
  switch (status) {
    case 400:
      return "Errors: 400 from validation";
    case 401:
      return "Tokens: 401";
    case 403:
      return row_of_refusal(route);
    case 404:
      return row_of_absence(route);
    case 405:
      return "Requests: methods, 405 and Allow";
    case 500:
      return "Errors: 500";
    case 503:
      return "Errors: 503";
    default:
      return routes_row;
  }
}

// The row of the status that is checked first, by the contract's order of checks.
RowName row_of_statuses(std::string_view route, int portal, int upstream) {
  constexpr std::array precedence{503, 500, 401, 405, 400, 403, 404};
  for (const int status : precedence) {
    if (portal == status || upstream == status) return row_of_status(route, status);
  }
  return routes_row;
}

std::string bytes_text(const std::string& body) { return counted(body.size(), "byte", "bytes"); }

void compare_files(const ComparedAnswer& portal, const ComparedAnswer& upstream, Differences& found) {
  if (portal.body == upstream.body) return;
  const auto [ours, theirs] = std::ranges::mismatch(portal.body, upstream.body);
  found.push_back({.row = file_row_of_body,
                   .location = "body at byte " + std::to_string(ours - portal.body.begin()),
                   .portal = {.kind = bytes_text(portal.body), .text = bytes_text(portal.body)},
                   .upstream = {.kind = bytes_text(upstream.body), .text = bytes_text(upstream.body)}});
}

constexpr std::string_view valid_json = "valid JSON";

// Returns valid_json or what is wrong. A parsed body takes many times its size, so that no two are kept. Throws
// std::bad_alloc.
std::string_view json_state(const std::string& body) {
  const auto parsed =
      parse_json(body, {.unique_names = true, .max_size = std::max(body.size(), JsonLimits().max_size)});
  if (!parsed && parsed.error() == JsonFault::no_memory) throw std::bad_alloc();
  return parsed ? valid_json : description(parsed.error());
}

void add_body_state(std::string_view portal, std::string_view upstream, Differences& found) {
  found.push_back({.row = body_row,
                   .location = "body",
                   .portal = {.kind = std::string(portal), .text = std::string(portal)},
                   .upstream = {.kind = std::string(upstream), .text = std::string(upstream)}});
}

void compare_bodies(const ComparedRequest& request, const ComparedAnswer& portal, const ComparedAnswer& upstream,
                    Differences& found) {
  const bool is_file = request.route == file_route && portal.status == 200;
  if (is_file) return compare_files(portal, upstream, found);
  const std::string_view ours = json_state(portal.body);
  const std::string_view theirs = json_state(upstream.body);
  if (ours != valid_json || theirs != valid_json) return add_body_state(ours, theirs, found);
  const BodyRule rule =
      portal.status >= 400 ? error_rule(request.route, portal.status) : body_rule(request.route, request.is_sorted);
  compare_json(rule, portal.body, upstream.body, found);
}

}  // namespace

std::optional<ComparedRequest> compared_request(std::string_view method, std::string_view target) {
  if (method != "GET" && method != "HEAD") return std::nullopt;
  const auto parsed = Target::parse(target);
  if (!parsed) return std::nullopt;
  const auto found = find_route(*parsed);
  const std::string_view route = found ? found->route->pattern.text() : "";
  if (found ? !route.starts_with(compared_root) : !needs_token(*parsed)) return std::nullopt;
  return ComparedRequest{.method = method == "GET" ? "GET" : "HEAD",
                         .route = route,
                         .is_sorted = !query_value(parsed->query(), "Sorting").value_or("").empty()};
}

std::string request_text(const ComparedRequest& request) {
  return std::string(request.method) + ' ' + (request.route.empty() ? "/api/app/…" : std::string(request.route));
}

Differences compare_answers(const ComparedRequest& request, const ComparedAnswer& portal,
                            const ComparedAnswer& upstream) {
  Differences found;
  if (portal.status != upstream.status) {
    found.push_back({.row = row_of_statuses(request.route, portal.status, upstream.status),
                     .location = "status",
                     .portal = shown_status(portal.status),
                     .upstream = shown_status(upstream.status)});
    return found;
  }
  compare_headers(portal.headers, upstream.headers, request.route == file_route && portal.status == 200, found);
  if (request.method == "GET" && !never_has_body(portal.status)) compare_bodies(request, portal, upstream, found);
  return found;
}

}  // namespace portail::shadow
