#include "core/base/time.hpp"

#include <chrono>

namespace portail {
namespace {

// Writes the last `width` digits of `value` before `end`.
void write_digits(char* end, std::int64_t value, int width) {
  for (; width > 0; --width, value /= 10) *--end = static_cast<char>('0' + value % 10);
}

}  // namespace

std::string utc_text(Instant instant) {
  std::string text;
  append_utc_text(text, instant);
  return text;
}

void append_utc_text(std::string& out, Instant instant) {
  using namespace std::chrono;
  const sys_time<microseconds> time_point{microseconds{instant.microseconds}};
  const auto day = floor<days>(time_point);
  const year_month_day date(day);
  const hh_mm_ss time(time_point - day);
  char text[] = "0000-00-00T00:00:00.000000Z";
  write_digits(text + 4, int{date.year()}, 4);
  write_digits(text + 7, unsigned{date.month()}, 2);
  write_digits(text + 10, unsigned{date.day()}, 2);
  write_digits(text + 13, time.hours().count(), 2);
  write_digits(text + 16, time.minutes().count(), 2);
  write_digits(text + 19, time.seconds().count(), 2);
  write_digits(text + 26, time.subseconds().count(), 6);
  out.append(text, sizeof text - 1);
}

std::string utc_text_to_the_second(Instant instant) {
  std::string text = utc_text(instant);
  text.resize(text.find('.'));
  return text + 'Z';
}

}  // namespace portail
