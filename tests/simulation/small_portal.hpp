// A small portal with known answers for each route, and requests for all routes. One thread.
#pragma once

#include <string>
#include <vector>

#include "core/api/service.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"

namespace portail::simulation {

// Imports two mail objects, the second with a template file; a third party with a user, `client`, and a manager,
// `manager`; `bundles` bundles L-1, L-2 … with a deposited piece each. `admin` may update.
void import_small_portal(KeyValueStore& store, int bundles);

Settings small_portal_settings();

struct RouteRequest {
  std::string name;
  std::string method;
  std::string target;
  std::string subject;  // empty: without a token
  std::string body{};
  std::string header_name{};
  std::string header_value{};
};
std::vector<RouteRequest> all_route_requests();

std::string token_for(const std::string& subject);
// Sends the request, over a store that never suspends. Fails the test if the answer's stream breaks off, unless
// `broke_off` is given.
Answer send(const Service& service, const RouteRequest& request, bool* broke_off = nullptr);

}  // namespace portail::simulation
