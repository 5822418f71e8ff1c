#include "core/portal/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iterator>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::size_t max_text_size = 65'536;    // bytes; four of them fit into a stored value
constexpr std::size_t max_file_name_size = 200;  // bytes; with an id before it, it is a valid file name on all systems
constexpr std::size_t max_path_size = 1'024;     // bytes
constexpr std::size_t max_fraction_digits = 16;  // the limit of ABP's clients
// What .NET's System.Decimal and DateTimeOffset hold; a client that reads them loses a whole list by one other value.
constexpr std::string_view max_amount = "79228162514264337593543950335";  // 2^96 - 1
constexpr std::size_t max_amount_decimals = 28;
constexpr std::int64_t min_seconds = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t max_seconds = 253'402'300'799;  // 9999-12-31T23:59:59Z

constexpr std::array<std::string_view, 8> media_types{
    "application/pdf",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "image/jpeg",
    "image/png",
    "text/plain",
};

// Whether `text`, valid UTF-8, contains U+0000 to U+001F or U+007F to U+009F.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

// Scans a date from its beginning. Errors are recorded, so one check of failed() at the end suffices.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : rest_(text) {}

  // Reads exactly `count` digits.
  int digits(std::size_t count) {
    int value = 0;
    if (rest_.size() < count || !std::ranges::all_of(rest_.substr(0, count), is_ascii_digit)) {
      has_failed_ = true;
      return value;
    }
    std::from_chars(rest_.data(), rest_.data() + count, value);
    rest_.remove_prefix(count);
    return value;
  }
  int digits_after(char c, std::size_t count) {
    if (!skip(c)) has_failed_ = true;
    return digits(count);
  }
  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view all_digits() {
    const auto end = std::ranges::find_if_not(rest_, is_ascii_digit);
    const std::string_view result = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(result.size());
    return result;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool failed() const { return has_failed_; }

 private:
  std::string_view rest_;
  bool has_failed_ = false;
};

}  // namespace

Checked<DateTime> check_date_time(std::string_view text) {
  constexpr std::string_view malformed = "not a date and time like 2024-01-15T10:30:00+01:00";
  DateScanner scanner(text);
  const int year = scanner.digits(4);
  const int month = scanner.digits_after('-', 2);
  const int day = scanner.digits_after('-', 2);
  const int hour = scanner.digits_after('T', 2);
  const int minute = scanner.digits_after(':', 2);
  const int second = scanner.digits_after(':', 2);
  if (scanner.failed()) return std::unexpected(malformed);

  std::string_view fraction;
  if (scanner.skip('.')) {
    fraction = scanner.all_digits();
    if (fraction.empty()) return std::unexpected(malformed);
    if (fraction.size() > max_fraction_digits) return std::unexpected("more than 16 fractional digits of a second");
  }
  const std::string_view local = text.substr(0, text.size() - scanner.rest().size());
  if (scanner.rest().empty()) return std::unexpected("the date's offset is missing");

  int offset_minutes = 0;
  std::string_view offset = scanner.rest();
  if (offset == "Z") {
    offset = "+00:00";
  } else {
    const bool behind = offset.front() == '-';
    if (!scanner.skip('+') && !scanner.skip('-')) return std::unexpected(malformed);
    const int hours = scanner.digits(2);
    const int minutes = scanner.digits_after(':', 2);
    if (scanner.failed() || !scanner.rest().empty()) return std::unexpected(malformed);
    offset_minutes = hours * 60 + minutes;
    if (minutes > 59) return std::unexpected("the minutes of an offset must be at most 59");
    if (offset_minutes > 14 * 60) return std::unexpected("the offset must be at most 14 hours");
    if (behind) offset_minutes = -offset_minutes;
  }

  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (year < 1 || !date.ok()) return std::unexpected("not a calendar date");
  if (hour > 23 || minute > 59 || second > 59) return std::unexpected("not a time of day");

  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * 86'400 + hour * 3'600 + (minute - offset_minutes) * 60 + second;
  const std::int64_t rounded = seconds + (fraction >= "99999995" ? 1 : 0);  // to the 100 ns of a DateTimeOffset
  if (rounded < min_seconds || rounded > max_seconds) {
    return std::unexpected("must be between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z in UTC (DateTimeOffset)");
  }
  DateTime checked{std::string(local) + std::string(offset), std::to_string(seconds)};
  if (!fraction.empty()) {
    checked.instant += '.';
    checked.instant += fraction;
  }
  return checked;
}

Checked<void> check_amount(std::string_view number) {
  if (number.find_first_of("eE") != std::string_view::npos)
    return std::unexpected("an amount must not have an exponent");
  std::string digits;
  std::ranges::copy_if(number, std::back_inserter(digits), is_ascii_digit);
  digits.erase(0, digits.find_first_not_of('0'));
  const std::size_t decimals = number.contains('.') ? number.size() - number.find('.') - 1 : 0;
  const auto size = digits.size() <=> max_amount.size();
  if (size > 0 || (size == 0 && digits > max_amount) || decimals > max_amount_decimals) {
    return std::unexpected(
        "an amount must be a System.Decimal: at most 79228162514264337593543950335 without its sign and point, and at "
        "most 28 decimals");
  }
  return {};
}

Checked<std::string> check_uuid(std::string_view text) {
  constexpr std::string_view shape = "00000000-0000-0000-0000-000000000000";
  if (text.size() != shape.size()) return std::unexpected("not a UUID");
  std::string lower;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool fits = shape[i] == '-' ? text[i] == '-' : hexadecimal_digit(text[i]).has_value();
    if (!fits) return std::unexpected("not a UUID");
    lower += to_lower_ascii(text[i]);
  }
  return lower;
}

Checked<void> check_identifier(std::string_view text) {
  if (text.empty()) return std::unexpected("must not be empty");
  if (text.size() > max_identifier_size) return std::unexpected("longer than 255 bytes");
  return {};
}

Checked<void> check_bundle_id(std::string_view id) {
  if (id == "." || id == "..") return std::unexpected("must not be . or ..");
  if (equals_ignoring_case(id, "dashboard-list")) return std::unexpected("must not be dashboard-list");
  if (id.find_first_of("/%") != std::string_view::npos || has_control_character(id)) {
    return std::unexpected("must not contain /, % or a control character");
  }
  return check_identifier(id);
}

Checked<void> check_text(std::string_view text) {
  if (text.size() > max_text_size) return std::unexpected("longer than 65536 bytes");
  return {};
}

Checked<void> check_file_name(std::string_view file_name) {
  if (file_name.empty()) return std::unexpected("must not be empty");
  if (file_name.size() > max_file_name_size) return std::unexpected("longer than 200 bytes");
  if (file_name.find_first_of("/\\") != std::string_view::npos || has_control_character(file_name)) {
    return std::unexpected("must not contain /, \\ or a control character");
  }
  return {};
}

Checked<void> check_template_path(std::string_view path) {
  if (path.empty()) return std::unexpected("must not be empty");
  if (path.size() > max_path_size) return std::unexpected("longer than 1024 bytes");
  if (path.starts_with('/')) return std::unexpected("must be a path relative to the document's folder");
  if (path.contains('\\') || has_control_character(path)) {
    return std::unexpected("must not contain \\ or a control character");
  }
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    if (segment.empty() || segment == "." || segment == "..") {
      return std::unexpected("must not contain an empty, . or .. segment");
    }
    start = end + 1;
  }
  return {};
}

Checked<void> check_media_type(std::string_view media_type) {
  if (std::ranges::find(media_types, media_type) == media_types.end()) {
    return std::unexpected(
        "must be one of application/pdf, an OpenDocument or Office Open XML text or spreadsheet, image/jpeg, "
        "image/png, "
        "text/plain");
  }
  return {};
}

}  // namespace portail
