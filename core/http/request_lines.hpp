// The log lines of requests, as JSON members (core/json/log_line.hpp). The request line is written for every request,
// and can be turned off. The access line says who read a client's bundles as their manager, and what was refused and
// why; it is always written. Never a token, target or query. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/http/response.hpp"

namespace portail {

// The members that both lines have. The references are valid during the call.
struct RequestLine {
  std::string_view method;
  const RequestSummary& summary;
  int status;
  std::string_view subject;     // the caller's pseudonym; empty: an anonymous caller
  std::string_view trace = {};  // the members of the request's trace, each after a comma; empty: it has none
};

void append_request_line(std::string& members, const RequestLine& request, std::int64_t microseconds);

// The access of the line of a refusal.
inline constexpr std::string_view refused_access = "refused";

// Whether the request needs an access line. Refusals other than 403 do only if they have no request line, which has the
// reason, too.
[[nodiscard]] bool needs_access_line(const RequestSummary& summary, int status, bool has_request_line);
void append_access_line(std::string& members, const RequestLine& request);

}  // namespace portail
