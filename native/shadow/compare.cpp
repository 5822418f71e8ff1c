#include "native/shadow/compare.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include "core/api/routes.hpp"
#include "core/http/query.hpp"
#include "core/http/response.hpp"
#include "core/json/reader.hpp"
#include "native/shadow/compare_json.hpp"
#include "native/shadow/rows.hpp"
#include "native/system/counted.hpp"

namespace portail::shadow {
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

RowName row_of_refusal(std::string_view route) {
  if (route == "/api/app/liasse/dashboard-list") return "Who sees what: dashboard-list";
  if (route == "/api/app/liasse/{id}") return "Who sees what: GET /liasse/{id}";
  return "Errors: 403 of a permission";
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
