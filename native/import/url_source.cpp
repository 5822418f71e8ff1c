#include "native/import/url_source.hpp"

#include <algorithm>
#include <utility>

#include "core/auth/key_url.hpp"
#include "native/fetch/fetch.hpp"
#include "native/http/http_date.hpp"

namespace portail {
namespace {

constexpr std::uint64_t max_text_size = std::uint64_t{256} * 1024;
constexpr std::size_t max_etag_size = 1024;

std::string cannot_fetch(std::string_view url, const std::string& reason) {
  return "cannot fetch " + std::string(without_query(url)) + ": " + reason;
}

// A status that another attempt may change.
bool is_transient(int status) {
  return status == 404 || status == 408 || status == 410 || status == 429 || status >= 500;
}

std::unexpected<SyncFault> refused_status(std::string_view url, int status) {
  const std::string reason = status == 304 ? "answered 304 to a request without a condition" : describe_status(status);
  return std::unexpected(
      SyncFault{is_transient(status) ? SyncFaultKind::unavailable : SyncFaultKind::refused, cannot_fetch(url, reason)});
}

bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// Keeps what a later request can send back.
SourceVersion version_of(const FetchedHead& head) {
  SourceVersion version;
  if (head.etag.size() <= max_etag_size && is_visible_ascii(head.etag)) version.etag = head.etag;
  version.modified = parse_http_date(head.last_modified);
  if (version.modified) version.last_modified = head.last_modified;
  return version;
}

}  // namespace

bool is_url(std::string_view source) { return source.contains("://"); }

std::optional<Url> parse_source_url(std::string_view text) {
  auto url = parse_url(text);
  return url && (url->is_https || is_loopback(*url)) ? std::move(url) : std::nullopt;
}

std::expected<std::optional<SourceVersion>, SyncFault> fetch_source(const std::string& url, const SourceLimits& limits,
                                                                    const std::optional<SourceVersion>& known,
                                                                    SpooledDocument& spool) {
  FetchRequest request{.url = *parse_source_url(url),
                       .headers = {{"Accept", "application/json"}},
                       .ca_file = limits.ca_file,
                       .max_size = limits.max_size,
                       .deadline = limits.deadline,
                       .may_end_abruptly = true};
  // A server ignores If-Modified-Since if it gets If-None-Match (RFC 9110 section 13.1.3).
  const bool has_etag = known && !known->etag.empty();
  const bool has_time = known && !has_etag && !known->last_modified.empty();
  if (has_etag) request.headers.emplace_back("If-None-Match", known->etag);
  if (has_time) request.headers.emplace_back("If-Modified-Since", known->last_modified);
  const auto head = fetch(request, [&spool](std::string_view bytes) { return spool.append(bytes); });
  if (!spool.error().empty()) return source_refused(spool.error());
  if (!head) return source_unavailable(cannot_fetch(url, head.error()));
  if (head->status == 304 && (has_etag || has_time)) return std::nullopt;
  if (head->status != 200) return refused_status(url, head->status);
  return version_of(*head);
}

std::expected<std::string, SyncFault> fetch_text(const std::string& url, const SourceLimits& limits) {
  std::string text;
  const auto head = fetch({.url = *parse_source_url(url),
                           .ca_file = limits.ca_file,
                           .max_size = max_text_size,
                           .deadline = limits.deadline,
                           .may_end_abruptly = true},
                          [&text](std::string_view bytes) {
                            text.append(bytes);
                            return true;
                          });
  if (!head) return source_unavailable(cannot_fetch(url, head.error()));
  if (head->status != 200) return refused_status(url, head->status);
  return text;
}

}  // namespace portail
