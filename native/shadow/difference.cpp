#include "native/shadow/difference.hpp"

#include <algorithm>
#include <cstdint>

#include "core/json/raw_json.hpp"
#include "core/json/writer.hpp"
#include "native/system/terminal.hpp"

namespace portail::shadow {
namespace {

constexpr std::string_view token_begin = "eyJ";

// Removes the incomplete character at the end of a text that was cut off.
std::string cut_off(std::string_view text) {
  if (text.size() <= max_shown_size) return std::string(text);
  std::size_t end = max_shown_size;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

ShownValue shown(std::string kind, std::string_view text) {
  return {.kind = std::move(kind), .text = cut_off(without_token(text))};
}

// Returns "list of 3 elements". Beyond max_elements they are not counted.
std::string count_kind(std::string_view what, std::size_t count, std::string_view one, std::string_view many) {
  if (count > max_elements) return std::string(what) + " of more than " + counted(max_elements, one, many);
  return std::string(what) + " of " + counted(count, one, many);
}

std::string text_kind(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  const auto characters = text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
  return "text of " + counted(characters, "character", "characters");
}

}  // namespace

std::string without_token(std::string_view text) { return text.contains(token_begin) ? "(hidden)" : std::string(text); }

ShownValue shown_absence() { return {.kind = "absent", .text = "absent"}; }

ShownValue shown_status(int status) { return {.kind = std::to_string(status), .text = std::to_string(status)}; }

ShownValue shown_text(std::string_view text) { return shown(text_kind(text), text); }

ShownValue shown_json(std::string_view value) {
  switch (value.empty() ? 'n' : value.front()) {
    case '"': {
      const std::string text = raw_string(value);
      return shown(text_kind(text), json_string(text));
    }
    case '{': {
      const std::string kind = count_kind("object", raw_members(value, max_elements + 1).size(), "member", "members");
      return {.kind = kind, .text = kind};
    }
    case '[': {
      const std::string kind = count_kind("list", raw_items(value, max_elements + 1).size(), "element", "elements");
      return {.kind = kind, .text = kind};
    }
    case 't':
    case 'f':
      return shown("boolean", value);
    case 'n':
      return {.kind = "null", .text = "null"};
    default:
      return shown("number", value);
  }
}

}  // namespace portail::shadow
