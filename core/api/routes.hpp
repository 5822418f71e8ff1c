// The table of routes: the endpoint of each method of each path. Constant; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/api/endpoint.hpp"
#include "core/api/parameters.hpp"
#include "core/http/routing.hpp"

namespace portail {

// The authentication that a route requires.
enum class Access : std::uint8_t {
  token,  // a valid token: everything below /api/app/
  open,   // none; the caller is anonymous without a valid token
  probe,  // none, also over plain HTTP: /health
};

using MethodEndpoint = RouteMethod<Endpoint>;

// What a pattern's {id} is. Segments that are not a mail object's id do not match its routes.
enum class PathId : std::uint8_t { none, mail_object, bundle };

struct Route {
  RoutePattern pattern;
  Access access;
  std::span<const MethodEndpoint> methods;
  PathId id = PathId::none;
  std::span<const Parameter> query = {};  // of GET
};

struct FoundRoute {
  const Route* route;
  std::string_view id;  // the segment of {id}, valid as long as the target
};
std::optional<FoundRoute> find_route(const Target& target);

// Whether the path is /api/app or below, with or without a route: without a token, callers must not learn which of
// these paths exist.
bool needs_token(const Target& target);

// Returns all routes, for documents that list them.
std::span<const Route> all_routes();

}  // namespace portail
