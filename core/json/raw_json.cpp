#include "core/json/raw_json.hpp"

#include <cstdint>
#include <string>

#include "core/base/text.hpp"
#include "core/json/scan.hpp"
#include "core/json/utf8.hpp"

namespace portail {
namespace {

// Returns the value of the four hexadecimal digits at `i`; 0 beyond the end.
std::uint32_t code_unit(std::string_view text, std::size_t i) {
  std::uint32_t value = 0;
  if (i + 4 > text.size()) return 0;
  for (const char c : text.substr(i, 4)) {
    value = value * 16 + hexadecimal_digit(c).value_or(0);
  }
  return value;
}

// Unescapes the content of a valid string. `text` is without the quotes.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || ++i == text.size()) {
      if (i < text.size()) out += text[i];
      continue;
    }
    switch (text[i]) {
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        std::uint32_t code_point = code_unit(text, i + 1);
        i += 4;
        if (code_point >= 0xd800 && code_point < 0xdc00) {  // in a valid string \u and the low surrogate follow
          code_point = 0x10000 + ((code_point - 0xd800) << 10) + (code_unit(text, i + 3) - 0xdc00);
          i += 6;
        }
        append_utf8(out, code_point);
        break;
      }
      default:
        out += text[i];  // " \ /
    }
  }
  return out;
}

bool matches_name(std::string_view escaped, std::string_view name) {
  return escaped.contains('\\') ? unescaped(escaped) == name : escaped == name;
}

// Calls visit(escaped name, text of the value) for each member, until it returns false.
template <class Visit>
void for_each_raw_member(std::string_view object_text, Visit visit) {
  using namespace json_scan;
  std::size_t i = after_spaces(object_text, 0);
  if (i == object_text.size() || object_text[i] != '{') return;
  for (;;) {
    i = after_spaces(object_text, i + 1);
    if (i >= object_text.size() || object_text[i] != '"') return;  // `}` of an empty object
    const std::size_t name_end = after_string(object_text, i);
    const std::string_view escaped = object_text.substr(i + 1, name_end - i - 2);
    const std::size_t colon = after_spaces(object_text, name_end);
    const std::size_t value = colon < object_text.size() ? after_spaces(object_text, colon + 1) : colon;
    const std::size_t value_end = after_value(object_text, value);
    if (!visit(escaped, object_text.substr(value, value_end - value))) return;
    i = after_spaces(object_text, value_end);
    if (i >= object_text.size() || object_text[i] != ',') return;
  }
}

}  // namespace

std::optional<std::string_view> raw_member(std::string_view object_text, std::string_view name) {
  std::optional<std::string_view> found;
  for_each_raw_member(object_text, [&](std::string_view escaped, std::string_view value) {
    if (matches_name(escaped, name)) found = value;
    return true;
  });
  return found;
}

std::vector<RawMember> raw_members(std::string_view object_text, std::size_t max) {
  std::vector<RawMember> members;
  for_each_raw_member(object_text, [&members, max](std::string_view escaped, std::string_view value) {
    if (members.size() < max) members.push_back({unescaped(escaped), value});
    return members.size() < max;
  });
  return members;
}

std::vector<std::string_view> raw_items(std::string_view array_text, std::size_t max) {
  using namespace json_scan;
  std::vector<std::string_view> items;
  std::size_t i = after_spaces(array_text, 0);
  if (i == array_text.size() || array_text[i] != '[') return items;
  for (i = after_spaces(array_text, i + 1); i < array_text.size() && array_text[i] != ']' && items.size() < max;) {
    const std::size_t end = after_value(array_text, i);
    items.push_back(array_text.substr(i, end - i));
    i = after_spaces(array_text, end);
    if (i >= array_text.size() || array_text[i] != ',') break;
    i = after_spaces(array_text, i + 1);
  }
  return items;
}

std::string raw_string(std::string_view string_text) {
  if (string_text.size() < 2) return {};
  return unescaped(string_text.substr(1, string_text.size() - 2));
}

}  // namespace portail
