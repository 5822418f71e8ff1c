// Dates of HTTP (RFC 9110 section 5.6.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace portail {

// Formats and caches the Date of answers. One thread at a time.
class HttpDate {
 public:
  // Returns an IMF-fixdate (RFC 9110 section 5.6.7): "Sat, 21 Nov 2026 09:30:00 GMT"; valid until the next call.
  std::string_view format(Instant now);

 private:
  std::int64_t second_ = -1;
  std::string text_;
};

// Returns the seconds since 1970 of an IMF-fixdate; nullopt for other text, also for the obsolete forms. Any thread.
std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace portail
