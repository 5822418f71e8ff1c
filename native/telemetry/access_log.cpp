#include "native/telemetry/access_log.hpp"

#include <algorithm>

#include "core/api/routes.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

void append_text_or_null(std::string& members, std::string_view name, std::string_view text) {
  members.append(",\"").append(name).append("\":");
  if (text.empty()) {
    members.append("null");
  } else {
    append_log_string(members, text);
  }
}

// Appends the members that identify the request.
void append_request(std::string& members, const LoggedRequest& request) {
  members.append(",\"correlationId\":");
  append_log_string(members, request.summary.correlation_id);
  if (request.span) {
    members.append(",\"traceId\":\"").append(request.span->trace_id);
    members.append("\",\"spanId\":\"").append(request.span->span_id);
    if (!request.span->parent_id.empty()) members.append("\",\"parentSpanId\":\"").append(request.span->parent_id);
    members += '"';
  }
  members.append(",\"method\":");
  append_log_string(members, request.method.substr(0, 32));
  members.append(",\"route\":");
  append_log_string(members, request.summary.route);
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

}  // namespace

void AccessLog::record(const LoggedRequest& request, std::chrono::microseconds spent) {
  const LogLevel level = request.status >= 500 && !is_specified(request) ? LogLevel::error : LogLevel::info;
  if (!enabled_ || !log_.is_enabled(level)) return;
  std::string members;
  members.reserve(256);
  append_request(members, request);
  members.append(",\"status\":");
  append_json_integer(members, request.status);
  members.append(",\"microseconds\":");
  append_json_integer(members, spent.count());
  append_subject(members, request.summary);
  log_.write_raw(level, members);
}

void AccessLog::record_access(const LoggedRequest& request) {
  const RequestSummary& summary = request.summary;
  if (summary.access.empty()) return;
  std::string members;
  members.reserve(256);
  members.append(",\"event\":\"access\",\"access\":");
  append_log_string(members, summary.access);
  append_request(members, request);
  append_text_or_null(members, "entity", summary.entity);
  members.append(",\"status\":");
  append_json_integer(members, request.status);
  append_text_or_null(members, "client", summary.client);
  append_subject(members, summary);
  log_.write_record(members);
}

void AccessLog::append_subject(std::string& members, const RequestSummary& summary) {
  members.append(",\"subject\":");
  if (summary.subject.empty()) {
    members.append("null");
    return;
  }
  members += '"';
  pseudonyms_.append(members, summary.subject);
  members += '"';
}

}  // namespace portail
