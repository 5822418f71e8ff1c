// The parsed target of a request in origin-form or absolute-form (RFC 9112 section 3.2): the path in decoded segments,
// the query still raw (query.hpp parses it). Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace portail {

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
