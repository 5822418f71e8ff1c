// The target of a request: percent-encoding, query parameters, and the parsed whole. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/text.hpp"

namespace portail {

// Percent-encoding (RFC 3986 section 2.1). Any thread.

// Decodes the escape "%zz" at `i`; nullopt if the text there is not one.
constexpr std::optional<char> percent_decoded(std::string_view text, std::size_t i) {
  if (text.size() - i < 3 || text[i] != '%') return std::nullopt;
  const auto high = hexadecimal_digit(text[i + 1]);
  const auto low = hexadecimal_digit(text[i + 2]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

// Returns the text with all but letters, digits and -._~ escaped (RFC 3986 section 2.3).
std::string percent_encoded(std::string_view text);

// The parameters of a query, decoded as in ASP.NET Core: `&` separates them, `+` is a space, `%zz` is a byte, and a `%`
// without two hexadecimal digits is unchanged. Names are compared without regard to ASCII case; of a repeated one the
// first counts (docs/reference/contract.md, "Requests: query names"). Any thread.

struct QueryParameter {
  std::string name;
  std::string value;  // empty without `=` too
};

// Removes the first parameter from `query` and returns it, decoded; nullopt if there is none. Skips empty ones (`&&`).
std::optional<QueryParameter> next_parameter(std::string_view& query);

// Returns the decoded value, which may be empty or not UTF-8; nullopt if `query` (Target::query) does not contain
// `name`.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

struct NotAnInteger {};

// Returns the value as an int32: digits with an optional sign and optional white space around them, as ASP.NET Core
// binds it. nullopt if the parameter is absent; an empty value is not an integer.
std::expected<std::optional<std::int32_t>, NotAnInteger> int32_parameter(std::string_view query, std::string_view name);

// Returns the value as a boolean: true or false without regard to ASCII case, with optional white space around it.
// `default_value` if the parameter is absent or empty; nullopt for any other value.
std::optional<bool> boolean_parameter(std::string_view query, std::string_view name, bool default_value = false);

// The parsed target of a request in origin-form or absolute-form (RFC 9112 section 3.2): the path in decoded segments,
// the query still raw (the functions above parse it). Any thread.

// The error of a malformed target: 400, and the connection is closed (docs/reference/contract.md, "Requests: path
// matching").
enum class TargetFault : std::uint8_t {
  too_long,       // over Target::max_size bytes
  bad_form,       // begins neither with a slash nor with http:// or https:// and a host
  bad_character,  // a control, a space, a fragment, a byte beyond ASCII; in the path a backslash
  bad_escape,     // %2F, %00, or % without two hexadecimal digits, in the path
  not_utf8,       // a segment, once decoded
  dot_segment,    // `.` or `..`, once decoded
};

// A target in absolute-form: the authority, and the rest, which begins with `/` or `?` or is empty.
struct AbsoluteForm {
  std::string_view authority;
  std::string_view rest;
};

// Returns nullopt for a target in another form, or without a valid host. The views are into `raw`.
std::optional<AbsoluteForm> split_absolute_form(std::string_view raw);

// Returns the path of a target as received, "/" for an absolute-form without one. It checks nothing else of the target.
std::string_view raw_path(std::string_view raw);

class Target {
 public:
  static constexpr std::size_t max_size = 8 * 1024;
  // The rest of a longer path is ignored; every route has fewer segments.
  static constexpr std::size_t max_segments = 8;

  // `raw` must outlive the Target; only escaped segments are copied.
  static std::expected<Target, TargetFault> parse(std::string_view raw);

  // The parts between the slashes, percent-decoded once, valid UTF-8. "/" has none. One trailing slash adds no segment;
  // other double slashes add empty ones, which no route has. The views live as long as the Target, also after a move.
  [[nodiscard]] std::span<const std::string_view> segments() const { return std::span(segments_).first(count_); }

  // The path as received, "/" for an absolute-form without one.
  [[nodiscard]] std::string_view path() const { return path_; }

  // The text after the first `?`, as received; empty if there is none.
  [[nodiscard]] std::string_view query() const { return query_; }

 private:
  Target() = default;

  std::array<std::string_view, max_segments> segments_;
  std::size_t count_ = 0;
  std::string_view path_;
  std::string_view query_;
  std::unique_ptr<char[]> decoded_;  // the decoded bytes of escaped segments
};

}  // namespace portail
