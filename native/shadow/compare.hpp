// Compares two answers to one request: status, headers, body. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/shadow/difference.hpp"

namespace portail::shadow {

// Compares the headers that the contract defines. Others, such as Date and Server, are not compared. Pure functions;
// any thread.

using Headers = std::vector<std::pair<std::string, std::string>>;

// Appends the differences of the headers of two answers with the same status. `is_file` is whether they are template
// files.
void compare_headers(const Headers& portal, const Headers& upstream, bool is_file, Differences& found);

// Compares the answers of a portal and of another service to the same request, by the contract
// (docs/reference/contract.md). Pure functions; any thread.

struct ComparedRequest {
  std::string_view method;  // GET or HEAD
  std::string_view route;   // the pattern, or "" for a path of no route
  bool is_sorted = false;   // the query has an order
  // Of the request; empty: none. Reports show neither it nor its signature.
  std::string_view token = {};
};

// Returns the request of a target, if its answers are compared: a path below /api/. The route is a constant.
std::optional<ComparedRequest> compared_request(std::string_view method, std::string_view target);

// Returns "GET /api/app/liasse/{id}". A path of no route is /api/….
std::string request_text(const ComparedRequest& request);

struct ComparedAnswer {
  int status = 0;
  Headers headers;
  std::string body;
};

// Returns the differences. Those of headers and bodies only if the statuses are equal.
Differences compare_answers(const ComparedRequest& request, const ComparedAnswer& portal,
                            const ComparedAnswer& upstream);

}  // namespace portail::shadow
