// Reads the head of an HTTP/1.1 request (RFC 9112): request line and fields, exactly as they were sent. Nothing is
// decoded, folded or repaired: what two readers could understand differently is refused. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "core/http/request.hpp"

namespace portail {

// What a head may measure at most; beyond is 431.
inline constexpr std::size_t longest_head = 32 * 1024;
inline constexpr std::size_t most_headers = 100;

// Why a request cannot be understood: the status to answer before the connection is closed.
enum class FramingError : std::uint16_t {
  bad_request = 400,
  head_too_large = 431,
  version_not_supported = 505,
};

// Views into the bytes that were parsed.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::string_view authority;  // of a target in absolute-form; it takes the place of Host's value; else empty
  std::vector<HeaderView> headers;
  int minor_version = 1;                        // HTTP/1.x
  std::optional<std::uint64_t> content_length;  // absent where the head names none
  bool chunked = false;                         // Transfer-Encoding: chunked
  bool keep_alive = true;                       // the client would send another request on this connection
  bool expects_continue = false;                // the body comes after a 100 (RFC 9110 section 10.1.1)

  [[nodiscard]] bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// field-content, RFC 9110 section 5.5: no control but the tab.
bool is_field_value(std::string_view text);

// One line of a head or of trailers, without its CRLF (RFC 9112 section 5): a view of its name and value; nullopt where
// it is no field, folded lines included.
std::optional<HeaderView> parse_field_line(std::string_view line);

// Looks for the end of a head in bytes that arrive piece by piece: the length of the head with its empty line; 0 when
// more bytes are needed. `scanned` is the search's memory, 0 for a new head. A line that ends in a bare LF is refused.
std::expected<std::size_t, FramingError> find_head_end(std::string_view bytes, std::size_t& scanned);

// `bytes` is a whole head, as find_head_end measures it. `head` is filled anew; what its vector held is reused.
std::expected<void, FramingError> parse_request_head(std::string_view bytes, RequestHead& head);

}  // namespace portail
