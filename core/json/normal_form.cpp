#include "core/json/normal_form.hpp"

#include <algorithm>
#include <cstddef>

#include "core/json/normal_form_table.hpp"
#include "core/json/utf8.hpp"

namespace portail {
namespace {

constexpr char32_t first_mark = 0x300;  // no mark is below, and no second character of a composition

// Hangul syllables are numbered by their parts (The Unicode Standard, section 3.12): a leading consonant, a vowel, and
// no or one trailing consonant.
constexpr char32_t first_syllable = 0xac00;
constexpr char32_t first_leading = 0x1100;
constexpr char32_t first_vowel = 0x1161;
constexpr char32_t before_trailing = 0x11a7;
constexpr char32_t leading_count = 19;
constexpr char32_t vowel_count = 21;
constexpr char32_t trailing_count = 28;
constexpr char32_t syllable_count = leading_count * vowel_count * trailing_count;

constexpr char32_t max_point = 0x1fffff;  // of UTF-8's four bytes
constexpr unsigned class_shift = 24;

// Decodes valid UTF-8.
std::u32string decoded(std::string_view text) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) == 0x80) {
      points.back() = points.back() << 6U | (byte & 0x3fU);
    } else {
      const auto point = static_cast<char32_t>(byte);
      points += point < 0x80 ? point : point & (point < 0xe0 ? 0x1fU : point < 0xf0 ? 0x0fU : 0x07U);
    }
  }
  return points;
}

// Returns the mark, or the class, of the section that contains a position; 0 before the first section.
char16_t section_of(std::u16string_view table, std::size_t position) {
  const std::size_t begin = table.rfind(unicode::section, position);
  return begin == std::u16string_view::npos ? u'\0' : table[begin + 1];
}

char32_t combining_class(char32_t point) {
  constexpr std::u16string_view table = unicode::combining_classes;
  for (std::size_t i = 0; point >= first_mark && i < table.size(); i += 2) {
    if (table[i] <= point && point <= table[i + 1]) return section_of(table, i);
  }
  return 0;
}

// Appends the decomposition of a character. In the bits above a character is its combining class.
void append_decomposition(std::u32string& out, char32_t point) {
  const char32_t syllable = point - first_syllable;
  if (syllable < syllable_count) {
    out += static_cast<char32_t>(first_leading + syllable / (vowel_count * trailing_count));
    out += first_vowel + syllable / trailing_count % vowel_count;
    if (syllable % trailing_count != 0) out += before_trailing + syllable % trailing_count;
    return;
  }
  for (const std::u16string_view table : {unicode::composites, unicode::decompositions}) {
    for (std::size_t i = 0; point >= 0xc0 && i < table.size(); i += 2) {
      if (table[i + 1] != point || table[i] == unicode::section) continue;
      append_decomposition(out, table[i]);
      if (const char16_t mark = section_of(table, i); mark != 0) append_decomposition(out, mark);
      return;
    }
  }
  out += static_cast<char32_t>(combining_class(point) << class_shift | point);
}

// Sorts marks that follow each other by their class; those of one class keep their order. A pass for each class is less
// code than std::stable_sort, and takes linear time.
void sort_marks(std::u32string& points) {
  const auto class_of = [](char32_t point) { return point >> class_shift; };
  for (auto next = points.begin(); next != points.end();) {
    const auto marks = std::find_if(next, points.end(), class_of);
    next = std::find_if_not(marks, points.end(), class_of);
    if (std::ranges::is_sorted(marks, next, {}, class_of)) continue;
    const std::u32string unsorted(marks, next);
    auto sorted = marks;
    for (char32_t value = 1; sorted != next; ++value) {
      sorted =
          std::ranges::copy_if(unsorted, sorted, [value](char32_t each) { return each >> class_shift == value; }).out;
    }
  }
}

// Returns the decomposition of a text, with its combining classes.
std::u32string decomposition(const std::u32string& text) {
  std::u32string points;
  for (const char32_t point : text) append_decomposition(points, point);
  sort_marks(points);
  return points;
}

std::string encoded(const std::u32string& points) {
  std::string text;
  for (const char32_t point : points) append_utf8(text, point & max_point);
  return text;
}

// Returns the composition of two characters, 0 if there is none.
char32_t composition(char32_t first, char32_t second) {
  const char32_t leading = first - first_leading;
  const char32_t vowel = second - first_vowel;
  const char32_t syllable = first - first_syllable;
  const char32_t trailing = second - before_trailing;
  if (leading < leading_count && vowel < vowel_count) {
    return first_syllable + (leading * vowel_count + vowel) * trailing_count;
  }
  if (syllable < syllable_count && syllable % trailing_count == 0 && trailing - 1 < trailing_count - 1) {
    return first + trailing;
  }
  if (second < first_mark) return 0;
  constexpr std::u16string_view table = unicode::composites;
  for (std::size_t i = 0; i < table.size(); i += 2) {
    if (table[i] == first && section_of(table, i) == second) return table[i + 1];
  }
  return 0;
}

std::u32string composition(const std::u32string& points) {
  std::u32string out;
  std::size_t starter = std::u32string::npos;
  for (const char32_t each : points) {
    const char32_t own_class = each >> class_shift;
    // A mark reaches the starter unless one of its own class, or another starter, is between them.
    if (starter != std::u32string::npos && (starter + 1 == out.size() || out.back() >> class_shift < own_class)) {
      if (const char32_t composite = composition(out[starter], each & max_point); composite != 0) {
        out[starter] = composite;
        continue;
      }
    }
    if (own_class == 0) starter = out.size();
    out += each;
  }
  return out;
}

}  // namespace

std::string composed(std::string_view text) {
  // Up to U+02FF, and in U+2002 to U+20CF, which has punctuation and currencies, each character is composed.
  const auto is_below_marks = [](char c) { return static_cast<unsigned char>(c) < 0xcc; };
  if (std::ranges::all_of(text, is_below_marks) || !is_valid_utf8(text)) return std::string(text);
  const auto is_composed = [](char32_t point) { return point < first_mark || (point > 0x2001 && point < 0x20d0); };
  const std::u32string points = decoded(text);
  if (std::ranges::all_of(points, is_composed)) return std::string(text);
  return encoded(composition(decomposition(points)));
}

std::string decomposed(std::string_view text) {
  return is_valid_utf8(text) ? encoded(decomposition(decoded(text))) : std::string(text);
}

}  // namespace portail
