// The target of a request (RFC 9112 section 3.2.1) taken apart: the path in decoded segments, the query still raw
// (query.hpp reads it). Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string_view>

namespace portail {

// Why a target is malformed: 400, and the connection is closed (docs/reference/contract.md, "Requests: path matching").
enum class TargetFault : std::uint8_t {
  too_long,         // over Target::longest bytes
  not_origin_form,  // does not begin with a slash
  bad_character,    // a control, a space, a backslash, a fragment, a byte beyond ASCII
  bad_escape,       // %2F, %00, or % without two hexadecimal digits, in the path
  not_utf8,         // a segment, once decoded
  dot_segment,      // `.` or `..`, once decoded
};

class Target {
 public:
  static constexpr std::size_t longest = 8 * 1024;
  // A path with more segments than this has this many: every route has fewer.
  static constexpr std::size_t most_segments = 8;

  // `raw` outlives the Target; nothing is copied but escaped segments.
  static std::expected<Target, TargetFault> parse(std::string_view raw);

  // What stands between the slashes, each percent-decoded once: valid UTF-8. "/" has none. One trailing slash makes no
  // segment; other doubled slashes make empty ones, which no route has. Views as long-lived as the Target, also moved.
  [[nodiscard]] std::span<const std::string_view> segments() const { return std::span(segments_).first(count_); }

  // What follows the first `?`, as received; empty where there is none.
  [[nodiscard]] std::string_view query() const { return query_; }

 private:
  Target() = default;

  std::array<std::string_view, most_segments> segments_;
  std::size_t count_ = 0;
  std::string_view query_;
  std::unique_ptr<char[]> decoded_;  // the escaped segments, one after the other
};

}  // namespace portail
