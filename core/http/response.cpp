#include "core/http/response.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/http/target.hpp"
#include "core/json/writer.hpp"

namespace portail {

const HeaderField* find_header(const Response& response, std::string_view name) {
  const auto found = std::ranges::find(response.headers, name, &HeaderField::name);
  return found == response.headers.end() ? nullptr : &*found;
}

HeaderField* find_header(Response& response, std::string_view name) {
  return const_cast<HeaderField*>(find_header(std::as_const(response), name));
}

void add_common_headers(Response& response, std::string correlation_id) {
  if (!find_header(response, "Cache-Control")) response.headers.push_back({"Cache-Control", "no-store"});
  response.headers.push_back({"Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Correlation-Id", std::move(correlation_id)});
}

namespace {

constexpr std::size_t max_method_size = 32;  // bytes that are logged

void append_text(std::string& members, std::string_view name, std::string_view text) {
  members.append(",\"").append(name).append("\":");
  append_log_string(members, text);
}

void append_text_or_null(std::string& members, std::string_view name, std::string_view text) {
  if (!text.empty()) return append_text(members, name, text);
  members.append(",\"").append(name).append("\":null");
}

void append_request(std::string& members, const RequestLine& request) {
  append_text(members, "correlationId", request.summary.correlation_id);
  members.append(request.trace);
  append_text(members, "method", request.method.substr(0, max_method_size));
  append_text(members, "route", request.summary.route);
}

void append_status(std::string& members, const RequestLine& request) {
  members.append(",\"status\":");
  append_json_integer(members, request.status);
  const Reason reason = request.summary.reason;
  if (reason != Reason::none) append_text(members, "reason", text_of(reason));
}

}  // namespace

void append_request_line(std::string& members, const RequestLine& request, std::int64_t microseconds) {
  append_request(members, request);
  append_status(members, request);
  members.append(",\"microseconds\":");
  append_json_integer(members, microseconds);
  append_text_or_null(members, "subject", request.subject);
}

bool needs_access_line(const RequestSummary& summary, int status, bool has_request_line) {
  const bool is_in_request_line = has_request_line && status != 403 && summary.access == refused_access;
  return !summary.access.empty() && !is_in_request_line;
}

void append_access_line(std::string& members, const RequestLine& request) {
  members.append(",\"event\":\"access\"");
  append_text(members, "access", request.summary.access);
  append_request(members, request);
  append_text_or_null(members, "entity", request.summary.entity);
  append_status(members, request);
  append_text_or_null(members, "client", request.summary.client);
  append_text_or_null(members, "subject", request.subject);
}

bool asks_server_options(const Request& request) {
  if (request.method != "OPTIONS") return false;
  if (request.target == "*") return true;
  const auto absolute = split_absolute_form(request.target);
  return absolute && absolute->rest.empty();
}

Response server_options(std::string_view allow) {
  Response response;
  response.status = 204;
  response.headers.push_back({"Allow", std::string(allow)});
  return response;
}

}  // namespace portail
