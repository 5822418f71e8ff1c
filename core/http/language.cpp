#include "core/http/language.hpp"

#include <cstddef>
#include <optional>

#include "core/base/text.hpp"
#include "core/http/grammar.hpp"

namespace portail {
namespace {

// In thousandths; nullopt where it is malformed (RFC 9110 section 12.4.2).
std::optional<int> quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[1] != '.')) return std::nullopt;
  if (text[0] != '0' && text[0] != '1') return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  int place = 100;
  for (const char digit : text.substr(text.size() > 1 ? 2 : 1)) {
    if (!is_ascii_digit(digit)) return std::nullopt;
    thousandths += (digit - '0') * place;
    place /= 10;
  }
  return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

// What follows the range: nothing, or one weight.
std::optional<int> weight(std::string_view parameter, bool is_present) {
  if (!is_present) return 1000;
  parameter = trimmed(parameter);
  if (parameter.size() < 2 || to_lower_ascii(parameter[0]) != 'q' || parameter[1] != '=') return std::nullopt;
  return quality(parameter.substr(2));
}

struct Preference {
  int quality = -1;  // not named
  std::size_t rank = 0;

  void raise(int to, std::size_t at) {
    if (to > quality) *this = {to, at};
  }
};

}  // namespace

Language preferred_language(const Request& request) {
  Preference english;
  Preference french;
  int others = 0;
  std::size_t rank = 0;
  for (const HeaderView& header : request.headers) {
    if (!equals_ignoring_case(header.name, "Accept-Language")) continue;
    for (std::string_view list = header.value; !list.empty(); ++rank) {
      std::string_view parameter = take_until(list, ',');
      const bool has_parameter = parameter.contains(';');
      std::string_view range = trimmed(take_until(parameter, ';'));
      const auto value = weight(parameter, has_parameter);
      if (!value) continue;
      const std::string_view primary = take_until(range, '-');
      if (equals_ignoring_case(primary, "fr")) french.raise(*value, rank);
      if (equals_ignoring_case(primary, "en")) english.raise(*value, rank);
      if (primary == "*") others = *value;
    }
  }
  if (english.quality < 0) english = {others, rank};
  if (french.quality < 0) french = {others, rank + 1};
  if (french.quality == english.quality) {
    return french.quality > 0 && french.rank < english.rank ? Language::french : Language::english;
  }
  return french.quality > english.quality ? Language::french : Language::english;
}

}  // namespace portail
