// One line for each request: time, level, correlation id, its trace where it has one, method, route pattern, status,
// microseconds, and the caller as an HMAC of the subject. Never a token, a target or a query. And an access line for
// what a manager read and for what was refused, which also names the client and the entity, and is written whatever
// else is. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/response.hpp"
#include "native/host/log.hpp"
#include "native/host/pseudonyms.hpp"
#include "native/http/trace_context.hpp"

namespace portail {

// What both kinds of line say of a request. As long as the call.
struct LoggedRequest {
  std::string_view method;
  const RequestSummary& summary;
  const std::optional<RequestSpan>& span;
  int status;
};

class AccessLog {
 public:
  // `key` turns subjects into pseudonyms: the same subject gives the same one as long as the key stays. `log` outlives
  // the access log. `enabled` is for the lines of requests; access lines are always written.
  AccessLog(JsonLog& log, std::string key, bool enabled) : log_(log), pseudonyms_(std::move(key)), enabled_(enabled) {}

  // Of a request that was answered.
  void record(const LoggedRequest& request, std::chrono::microseconds spent);
  // The access line, where the request leaves one: before its answer begins, so that no client receives data without a
  // line that records it.
  void record_access(const LoggedRequest& request);

 private:
  void append_subject(std::string& members, const RequestSummary& summary);

  JsonLog& log_;
  Pseudonyms pseudonyms_;
  bool enabled_;
};

}  // namespace portail
