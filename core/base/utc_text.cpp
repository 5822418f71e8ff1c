#include "core/base/utc_text.hpp"

#include <chrono>

namespace portail {
namespace {

void append_digits(std::string& out, std::int64_t value, int width) {
  char digits[20];
  for (int i = width - 1; i >= 0; --i, value /= 10) digits[i] = static_cast<char>('0' + value % 10);
  out.append(digits, static_cast<std::size_t>(width));
}

}  // namespace

std::string utc_text(Instant instant) {
  using namespace std::chrono;
  const sys_time<microseconds> moment{microseconds{instant.microseconds}};
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss time(moment - day);
  std::string text;
  append_digits(text, int{date.year()}, 4);
  text += '-';
  append_digits(text, unsigned{date.month()}, 2);
  text += '-';
  append_digits(text, unsigned{date.day()}, 2);
  text += 'T';
  append_digits(text, time.hours().count(), 2);
  text += ':';
  append_digits(text, time.minutes().count(), 2);
  text += ':';
  append_digits(text, time.seconds().count(), 2);
  text += '.';
  append_digits(text, time.subseconds().count(), 6);
  text += 'Z';
  return text;
}

}  // namespace portail
