#include "native/http/http_date.hpp"

#include <ctime>

namespace portail {

std::string_view HttpDate::format(Instant now) {
  if (now.seconds() != second_) {
    second_ = now.seconds();
    const std::time_t time = second_;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    text_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return text_;
}

}  // namespace portail
