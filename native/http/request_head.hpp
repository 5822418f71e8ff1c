// Parses the head of an HTTP/1.1 request (RFC 9112): request line and fields, unchanged. Nothing is decoded, unfolded
// or repaired, and ambiguous input is rejected. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "core/http/request.hpp"

namespace portail {

// Limits of a head; beyond them the answer is 431.
inline constexpr std::size_t max_head_size = 32 * 1024;
inline constexpr std::size_t max_headers = 100;

// Why a request is malformed: the status of the answer, after which the connection is closed.
enum class FramingError : std::uint16_t {
  bad_request = 400,
  head_too_large = 431,
  version_not_supported = 505,
};

// Views into the parsed bytes.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::string_view authority;  // of a target in absolute-form, which replaces Host's value; else empty
  std::vector<HeaderView> headers;
  int minor_version = 1;                        // HTTP/1.x
  std::optional<std::uint64_t> content_length;  // absent without Content-Length; at most 10^18
  bool chunked = false;                         // Transfer-Encoding: chunked
  bool keep_alive = true;                       // the connection may be reused after the answer
  bool expects_continue = false;                // the body follows a 100 (RFC 9110 section 10.1.1)

  [[nodiscard]] bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// Whether the text is field-content (RFC 9110 section 5.5): no control characters except tab.
bool is_field_value(std::string_view text);

// Parses one line of a head or of trailers, without its CRLF (RFC 9112 section 5). Returns nullopt if it is malformed
// or folded.
std::optional<HeaderView> parse_field_line(std::string_view line);

// Finds the end of a head that arrives in pieces. Returns the length of the head with its empty line; 0 if more bytes
// are needed. `scanned` is the position of the search: 0 for a new head. A line that ends in a bare LF is an error.
std::expected<std::size_t, FramingError> find_head_end(std::string_view bytes, std::size_t& scanned);

// Parses a whole head, of the length that find_head_end() returned. Overwrites `head` and reuses the memory of its
// vector.
std::expected<void, FramingError> parse_request_head(std::string_view bytes, RequestHead& head);

}  // namespace portail
