#include "core/http/target.hpp"

#include <algorithm>
#include <optional>

#include "core/base/text.hpp"
#include "core/http/percent.hpp"
#include "core/json/utf8.hpp"

namespace portail {
namespace {

constexpr bool is_bad_character(char c) { return c <= ' ' || c >= '\x7f' || c == '#' || c == '\\'; }

// Decodes `segment` to `out`, which must have segment.size() bytes, and returns a view of the decoded bytes.
std::expected<std::string_view, TargetFault> decode(std::string_view segment, char* out) {
  char* end = out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    char c = segment[i];
    if (c == '%') {
      const auto decoded = percent_decoded(segment, i);
      if (!decoded || *decoded == '/' || *decoded == '\0') return std::unexpected(TargetFault::bad_escape);
      c = *decoded;
      i += 2;
    }
    *end++ = c;
  }
  return std::string_view(out, end);
}

}  // namespace

std::expected<Target, TargetFault> Target::parse(std::string_view raw) {
  if (raw.size() > max_size) return std::unexpected(TargetFault::too_long);
  if (!raw.starts_with('/')) return std::unexpected(TargetFault::not_origin_form);
  if (std::ranges::any_of(raw, [](char c) { return is_bad_character(c); })) {
    return std::unexpected(TargetFault::bad_character);
  }

  Target target;
  target.query_ = raw.substr(1);
  std::string_view path = take_until(target.query_, '?');
  if (path.contains('%')) target.decoded_ = std::make_unique_for_overwrite<char[]>(path.size());
  char* out = target.decoded_.get();

  while (!path.empty()) {
    std::string_view segment = take_until(path, '/');
    if (segment.contains('%')) {
      const auto decoded = decode(segment, out);
      if (!decoded) return std::unexpected(decoded.error());
      if (!is_valid_utf8(*decoded)) return std::unexpected(TargetFault::not_utf8);
      segment = *decoded;
      out += segment.size();
    }
    if (segment == "." || segment == "..") return std::unexpected(TargetFault::dot_segment);
    if (target.count_ < max_segments) target.segments_[target.count_++] = segment;
  }
  return target;
}

}  // namespace portail
