#include "native/telemetry/access_log.hpp"

#include <algorithm>

#include "core/api/routes.hpp"
#include "core/http/request.hpp"

namespace portail {
namespace {

constexpr std::size_t usual_size = 256;  // bytes of a line

std::string trace_members(const std::optional<RequestSpan>& span) {
  std::string members;
  if (!span) return members;
  members.append(",\"traceId\":\"").append(span->trace_id);
  members.append("\",\"spanId\":\"").append(span->span_id);
  if (!span->parent_id.empty()) members.append("\",\"parentSpanId\":\"").append(span->parent_id);
  members += '"';
  return members;
}

// Whether 500 is the specified answer: the route has the method, but does not implement it.
bool is_specified(const LoggedRequest& request) {
  if (request.status != 500) return false;
  const auto is_refused = [&request](const MethodEndpoint& each) {
    return each.method == request.method && !each.is_allowed;
  };
  return std::ranges::any_of(all_routes(), [&](const Route& route) {
    return route.pattern.text() == request.summary.route && std::ranges::any_of(route.methods, is_refused);
  });
}

LogLevel level_of(const LoggedRequest& request) {
  return request.status >= 500 && !is_specified(request) ? LogLevel::error : LogLevel::info;
}

}  // namespace

void AccessLog::record(const LoggedRequest& request, std::chrono::microseconds spent) {
  const LogLevel level = level_of(request);
  if (!has_request_line(level)) return;
  const std::string subject = pseudonym_of(request);
  const std::string trace = trace_members(request.span);
  std::string members;
  members.reserve(usual_size);
  append_request_line(members, {request.method, request.summary, request.status, subject, trace}, spent.count());
  log_.write_raw(level, members);
}

void AccessLog::record_refused(const LoggedRequest& request, std::chrono::steady_clock::time_point now) {
  if (!has_request_line(level_of(request))) return;
  if (has_line_left(std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()))) record(request, {});
}

bool AccessLog::has_line_left(std::chrono::seconds second) {
  const std::lock_guard lock(refused_lines_);
  if (second > refused_second_) {
    refused_second_ = second;
    refused_in_second_ = 0;
  }
  return ++refused_in_second_ <= max_refused_lines;
}

void AccessLog::record_access(const LoggedRequest& request) {
  if (!needs_access_line(request.summary, request.status, has_request_line(level_of(request)))) return;
  const std::string subject = pseudonym_of(request);
  const std::string trace = trace_members(request.span);
  std::string members;
  members.reserve(usual_size);
  append_access_line(members, {request.method, request.summary, request.status, subject, trace});
  log_.record(members);
}

std::string AccessLog::pseudonym_of(const LoggedRequest& request) {
  std::string pseudonym;
  if (!request.summary.subject.empty()) pseudonyms_.append(pseudonym, request.summary.subject);
  return pseudonym;
}

}  // namespace portail
