// The table of routes: which endpoint answers which method of which path. Constant; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/api/endpoint.hpp"
#include "core/http/routing.hpp"

namespace portail {

// Who may call a route.
enum class Access : std::uint8_t {
  token,  // with a valid token only: everything below /api/app/
  open,   // anyone; a token that is valid says who it is, any other one makes an anonymous caller
  probe,  // anyone, and in clear too: /health
};

struct MethodEndpoint {
  std::string_view method;
  Endpoint endpoint = nullptr;
  bool works = true;  // false for what is answered, but not offered in Allow
};

struct Route {
  RoutePattern pattern;
  Access access;
  std::span<const MethodEndpoint> methods;
  bool has_mail_object_id = false;  // {id} is a mail object's, and the route is a wrong endpoint for any other segment

  // The endpoint of a method; GET also answers HEAD. Null where the method does not work here.
  [[nodiscard]] Endpoint find(std::string_view method) const;
  // The value of Allow: "GET, HEAD, PUT".
  [[nodiscard]] std::string allow() const;
};

struct FoundRoute {
  const Route* route;
  std::string_view id;  // the segment that stands for {id}, as long-lived as the target
};
std::optional<FoundRoute> find_route(const Target& target);

// Whether the path is /api/app or below it, whether it has a route or not: without a token a caller learns nothing
// about these paths.
bool needs_token(const Target& target);

// Every route, for documents that list them.
std::span<const Route> all_routes();

}  // namespace portail
