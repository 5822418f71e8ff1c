// The access log: a line for each request, with time, level, correlation id, trace, method, route pattern, status,
// microseconds and the subject's pseudonym. Never a token, target or query. Managers' reads and refusals also get an
// access line, which names client and entity and is always written. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/response.hpp"
#include "native/http/trace_context.hpp"
#include "native/system/log.hpp"
#include "native/system/pseudonyms.hpp"

namespace portail {

// The members that both kinds of line have. The references are valid during the call.
struct LoggedRequest {
  std::string_view method;
  const RequestSummary& summary;
  const std::optional<RequestSpan>& span;
  int status;
};

class AccessLog {
 public:
  // `key` is the HMAC key of the pseudonyms: with the same key, a subject has the same pseudonym. `log` outlives this.
  // `enabled` applies to request lines only; access lines are always written.
  AccessLog(JsonLog& log, std::string key, bool enabled) : log_(log), pseudonyms_(std::move(key)), enabled_(enabled) {}

  // Writes the line of an answered request.
  void record(const LoggedRequest& request, std::chrono::microseconds spent);
  // Writes the access line, if the request needs one. Called before the answer begins, so that no client receives data
  // without a record.
  void record_access(const LoggedRequest& request);

 private:
  void append_subject(std::string& members, const RequestSummary& summary);

  JsonLog& log_;
  Pseudonyms pseudonyms_;
  bool enabled_;
};

}  // namespace portail
