// Writes the request lines and access lines of the program's log (core/http/response.hpp), with trace and pseudonym.
// Any thread.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/response.hpp"
#include "native/http/trace_context.hpp"
#include "native/system/log.hpp"
#include "native/system/shared_caches.hpp"

namespace portail {

// The references are valid during the call.
struct LoggedRequest {
  std::string_view method;
  const RequestSummary& summary;
  const std::optional<RequestSpan>& span;
  int status;
};

class AccessLog {
 public:
  static constexpr int max_refused_lines = 10;

  // `key` is the HMAC key of the pseudonyms: with the same key, a subject has the same pseudonym. `log` outlives this.
  // `enabled` applies to request lines only; access lines are always written.
  AccessLog(JsonLog& log, std::string key, bool enabled) : log_(log), pseudonyms_(std::move(key)), enabled_(enabled) {}

  // Writes the line of an answered request.
  void record(const LoggedRequest& request, std::chrono::microseconds spent);
  // The same for a request that was refused to limit the load: at most max_refused_lines of them have a line in each
  // second of `now`, so that a client over its limit cannot fill the log.
  void record_refused(const LoggedRequest& request, std::chrono::steady_clock::time_point now);
  // Writes the access line, if the request needs one. Called before the answer begins, so that no client receives data
  // without a record.
  void record_access(const LoggedRequest& request);

 private:
  [[nodiscard]] bool has_request_line(LogLevel level) const { return enabled_ && log_.is_enabled(level); }
  [[nodiscard]] std::string pseudonym_of(const LoggedRequest& request);

  [[nodiscard]] bool has_line_left(std::chrono::seconds second);

  JsonLog& log_;
  Pseudonyms pseudonyms_;
  bool enabled_;
  std::mutex refused_lines_;
  std::chrono::seconds refused_second_{};
  int refused_in_second_ = 0;
};

}  // namespace portail
