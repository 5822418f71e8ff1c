#include "core/privacy/subject_pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/text.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/http/target.hpp"
#include "core/json/utf8.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// One byte of a text, or an escape and what it stands for.
struct Unit {
  std::string bytes;
  std::size_t length = 1;  // in the text
};

std::optional<std::uint32_t> code_unit(std::string_view text, std::size_t i) {
  if (i > text.size() || text.size() - i < 6 || !text.substr(i).starts_with("\\u")) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(i + 2, 4)) {
    const auto digit = hexadecimal_digit(c);
    if (!digit) return std::nullopt;
    value = value << 4U | static_cast<std::uint32_t>(*digit);
  }
  return value;
}

Unit unit_at(std::string_view text, std::size_t i) {
  if (const auto byte = percent_decoded(text, i)) return {.bytes = {*byte}, .length = 3};
  if (text[i] != '\\' || i + 1 == text.size()) return {.bytes = {text[i]}};
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (const std::size_t letter = letters.find(text[i + 1]); letter != std::string_view::npos) {
    return {.bytes = {meanings[letter]}, .length = 2};
  }
  const auto unit = code_unit(text, i);
  if (!unit) return {.bytes = {text[i]}};
  const auto low = code_unit(text, i + 6);
  const bool is_pair = *unit >= 0xD800 && *unit < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000;
  Unit result{.bytes = {}, .length = is_pair ? 12U : 6U};
  append_utf8(result.bytes, is_pair ? 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00) : *unit);
  return result;
}

bool is_of_identifier(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("-._~@|:").contains(c);
}

// Returns the end of the occurrence of `rest` that begins at `i`.
std::optional<std::size_t> end_of(std::string_view text, std::size_t i, std::string_view rest) {
  while (!rest.empty()) {
    if (i == text.size()) return std::nullopt;
    const Unit unit = unit_at(text, i);
    if (unit.length > 1 && rest.starts_with(unit.bytes)) {
      i += unit.length;
      rest.remove_prefix(unit.bytes.size());
    } else if (text[i] == rest.front() || (text[i] == '+' && rest.front() == ' ')) {
      ++i;
      rest.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return i;
}

// Returns the prefix of the keys of all parts.
std::string without_part(std::string part_0) {
  part_0.pop_back();
  return part_0;
}

}  // namespace

SubjectPattern::SubjectPattern(std::string_view subject)
    : subject_(subject), consultation_prefix_(without_part(consultation_key(subject, 0))) {}

std::optional<std::string> SubjectPattern::replaced(std::string_view text, std::string_view replacement) const {
  std::string result;
  std::size_t copied = 0;
  bool is_found = false;
  bool is_in_token = false;
  for (std::size_t i = 0; i < text.size();) {
    const auto end = is_in_token ? std::nullopt : end_of(text, i, subject_);
    if (end && (*end == text.size() || !is_of_identifier(unit_at(text, *end).bytes.front()))) {
      is_found = true;
      result.append(text, copied, i - copied).append(replacement);
      i = copied = *end;
      is_in_token = is_of_identifier(subject_.back());
      continue;
    }
    const Unit unit = unit_at(text, i);
    is_in_token = is_of_identifier(unit.bytes.back());
    i += unit.length;
  }
  if (!is_found) return std::nullopt;
  result.append(text, copied);
  return result;
}

bool SubjectPattern::occurs_in_strings(std::string_view text) const {
  for (std::size_t begin = text.find('"'); begin != std::string_view::npos;) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return occurs_in(text.substr(begin + 1));  // no complete string
    const bool is_name = text.substr(end + 1).starts_with(':');
    if (!is_name && occurs_in(text.substr(begin + 1, end - begin - 1))) return true;
    begin = text.find('"', end + 1);
  }
  return false;
}

bool SubjectPattern::occurs_in_key(std::string_view key) const {
  return is_consultation(key) || is_index(key) || std::ranges::any_of(stored_entities, [&](const StoredEntity& entity) {
           return key == entity_key(entity.prefix, subject_);
         });
}

bool SubjectPattern::is_index(std::string_view key) const {
  return std::ranges::any_of(stored_entities, [&](const StoredEntity& entity) {
    return std::ranges::any_of(entity.indexes, [&](std::string_view prefix) {
      return key.starts_with(without_part(person_key(prefix, subject_, 0)));
    });
  });
}

}  // namespace portail
