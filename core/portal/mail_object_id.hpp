// The id of a mail object as a segment of a path. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/portal/records/lines.hpp"

namespace portail {

// Parses 0 to 2^53 - 1 without leading zeros.
inline std::optional<std::uint64_t> parse_mail_object_id(std::string_view segment) {
  constexpr std::uint64_t max = (std::uint64_t{1} << 53) - 1;
  if (segment.starts_with('0') && segment != "0") return std::nullopt;
  const auto id = parse_count(segment);
  return id && *id <= max ? id : std::nullopt;
}

}  // namespace portail
