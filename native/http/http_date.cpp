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

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  if (!strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts)) return std::nullopt;
  const std::int64_t seconds = timegm(&parts);
  // strptime accepts more than the one form.
  if (HttpDate().format({seconds * 1'000'000}) != text) return std::nullopt;
  return seconds;
}

}  // namespace portail
