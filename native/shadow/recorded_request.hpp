// The requests of a record, the portal's log, or a proxy's access log: one a line. Pure functions; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "native/shadow/report.hpp"

namespace portail::shadow {

struct RecordedRequest {
  std::string method;
  std::string target;
  std::string accept_language = {};  // empty: none
  bool has_token = true;
};

// Returns the line of a record, without a line break: JSON without a token. Of the query only the parameters of the
// interface are kept.
std::string record_line(const RecordedRequest& request);

// Reads a line: of a record; of the portal's log, which has the id of an access line only
// (docs/reference/log-events.md); or of another log, which has "GET /path HTTP/1.1" in quotes. A line of the portal's
// log may have text before it.
std::expected<RecordedRequest, Skip> parse_request_line(std::string_view line);

}  // namespace portail::shadow
