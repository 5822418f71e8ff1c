#include "core/http/language.hpp"

#include <cstddef>
#include <optional>

#include "core/base/text.hpp"
#include "core/http/list_header.hpp"

namespace portail {
namespace {

struct Preference {
  int quality = -1;  // -1: not in the header
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
  for_each_preference(request, "Accept-Language", [&](std::string_view range, std::optional<int> weight) {
    const std::size_t at = rank++;
    if (!weight) return;
    const std::string_view primary = take_until(range, '-');
    if (equals_ignoring_case(primary, "fr")) french.raise(*weight, at);
    if (equals_ignoring_case(primary, "en")) english.raise(*weight, at);
    if (primary == "*") others = *weight;
  });
  if (english.quality < 0) english = {others, rank};
  if (french.quality < 0) french = {others, rank + 1};
  if (french.quality == english.quality) {
    return french.quality > 0 && french.rank < english.rank ? Language::french : Language::english;
  }
  return french.quality > english.quality ? Language::french : Language::english;
}

}  // namespace portail
