// Formats and caches the Date of answers. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace portail {

class HttpDate {
 public:
  // Returns an IMF-fixdate (RFC 9110 section 5.6.7): "Sat, 21 Nov 2026 09:30:00 GMT"; valid until the next call.
  std::string_view format(Instant now);

 private:
  std::int64_t second_ = -1;
  std::string text_;
};

}  // namespace portail
