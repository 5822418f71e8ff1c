#include "native/http/request_head.hpp"

#include <algorithm>

#include "core/http/header_fields.hpp"
#include "core/http/target.hpp"

namespace portail {
namespace {

using ParseResult = std::expected<void, FramingError>;
constexpr std::unexpected bad_request(FramingError::bad_request);

// Removes and returns the next line, without its CRLF. The head must consist of complete lines.
std::string_view next_line(std::string_view& bytes) {
  const std::size_t end = bytes.find("\r\n");
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end + 2);
  return line;
}

// Splits a target in absolute-form into path and authority (RFC 9112 section 3.2.2). Without a path or a valid host it
// stays whole: the core judges it.
void parse_target(std::string_view target, RequestHead& head) {
  head.target = target;
  const auto absolute = split_absolute_form(target);
  if (!absolute) return;
  head.authority = absolute->authority;
  if (absolute->rest.starts_with('/')) head.target = absolute->rest;
}

ParseResult parse_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == last) return bad_request;  // also HTTP/0.9
  head.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(head.method) || target.empty()) return bad_request;
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  if (!std::ranges::all_of(target, is_visible)) return bad_request;  // non-ASCII characters must be percent-encoded
  parse_target(target, head);
  const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") && is_ascii_digit(version[5]) &&
                           version[6] == '.' && is_ascii_digit(version[7]);
  if (!well_formed) return bad_request;
  if (version[5] != '1') return std::unexpected(FramingError::version_not_supported);
  head.minor_version = version[7] == '0' ? 0 : 1;
  return {};
}

ParseResult parse_header(std::string_view line, RequestHead& head) {
  const auto header = parse_field_line(line);
  if (!header) return bad_request;
  if (head.headers.size() == max_headers) return std::unexpected(FramingError::head_too_large);
  head.headers.push_back(*header);
  return {};
}

ParseResult parse_content_length(std::string_view value, RequestHead& head) {
  constexpr std::uint64_t max = 1'000'000'000'000'000'000;  // more is over every limit; prevents overflow
  if (head.content_length || value.empty()) return bad_request;
  if (!std::ranges::all_of(value, is_ascii_digit)) return bad_request;
  std::uint64_t length = 0;
  for (const char digit : value) length = std::min(max, length * 10 + static_cast<std::uint64_t>(digit - '0'));
  head.content_length = length;
  return {};
}

void parse_connection(std::string_view value, RequestHead& head) {
  while (!value.empty()) {
    if (equals_ignoring_case(take_item(value, ','), "close")) head.keep_alive = false;
  }
}

// Interprets Host (RFC 9112 section 3.2), the framing of the body (6) and persistence (9.3).
ParseResult interpret_headers(RequestHead& head) {
  std::size_t hosts = 0;
  for (HeaderView& header : head.headers) {
    ParseResult checked;
    if (equals_ignoring_case(header.name, "Host")) {
      ++hosts;
      if (!is_host_and_port(header.value)) checked = bad_request;
      if (!head.authority.empty()) header.value = head.authority;
    } else if (equals_ignoring_case(header.name, "Content-Length")) {
      checked = parse_content_length(header.value, head);
    } else if (equals_ignoring_case(header.name, "Transfer-Encoding")) {
      if (head.chunked || !equals_ignoring_case(header.value, "chunked")) checked = bad_request;
      head.chunked = true;
    } else if (equals_ignoring_case(header.name, "Connection")) {
      parse_connection(header.value, head);
    } else if (equals_ignoring_case(header.name, "Expect")) {
      head.expects_continue = equals_ignoring_case(header.value, "100-continue");
    }
    if (!checked) return checked;
  }
  if (hosts > 1 || (hosts == 0 && head.minor_version == 1)) return bad_request;
  if (head.chunked && (head.content_length || head.minor_version == 0)) return bad_request;
  if (head.minor_version == 0) head.keep_alive = head.expects_continue = false;
  return {};
}

}  // namespace

bool is_field_value(std::string_view text) {
  while (true) {
    text.remove_prefix(count_printable_ascii(text));
    if (text.empty()) return true;
    const bool is_beyond_ascii = static_cast<unsigned char>(text.front()) >= 0x80;
    if (text.front() != '\t' && !is_beyond_ascii) return false;
    text.remove_prefix(1);
  }
}

std::optional<HeaderView> parse_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const HeaderView field{.name = line.substr(0, colon), .value = trimmed(line.substr(colon + 1))};
  // is_token() also rejects folded lines and a space before the colon.
  if (!is_token(field.name) || !is_field_value(field.value)) return std::nullopt;
  return field;
}

std::expected<std::size_t, FramingError> find_head_end(std::string_view bytes, std::size_t& scanned) {
  while (true) {
    const std::size_t newline = bytes.find('\n', scanned);
    if (newline == std::string_view::npos) {
      scanned = bytes.size();
      if (bytes.size() > max_head_size) return std::unexpected(FramingError::head_too_large);
      return 0;
    }
    if (newline == 0 || bytes[newline - 1] != '\r') return bad_request;
    if (newline >= max_head_size) return std::unexpected(FramingError::head_too_large);
    scanned = newline + 1;
    if (newline == 1) return bad_request;  // the caller skips the one empty line that is allowed
    if (bytes[newline - 2] == '\n') return scanned;
  }
}

std::expected<void, FramingError> parse_request_head(std::string_view bytes, RequestHead& head) {
  std::vector<HeaderView> headers = std::move(head.headers);
  headers.clear();
  head = RequestHead{};
  head.headers = std::move(headers);
  // A bare CR is rejected as a control character of its line.
  if (auto checked = parse_request_line(next_line(bytes), head); !checked) return checked;
  while (bytes != "\r\n") {
    if (auto checked = parse_header(next_line(bytes), head); !checked) return checked;
  }
  return interpret_headers(head);
}

}  // namespace portail
