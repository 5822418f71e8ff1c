#include "core/exchange/document/faults.hpp"

#include "core/exchange/import.hpp"
#include "core/json/writer.hpp"

namespace portail {

std::string Place::text() const {
  std::string text = parent ? parent->text() + '.' : std::string();
  text += name;
  if (index) {
    text += '[';
    text += std::to_string(*index);
    text += ']';
  }
  return text;
}

void Faults::add(const Place& place, std::string_view message) {
  if (++count_ > most_fault_lines) return;
  std::string line = place.text();
  line += ": ";
  line += message;
  lines_.push_back(std::move(line));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::size_t end = text.size();
  if (end > longest) {
    end = longest;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not amid a character
  }
  std::string result;
  append_json_string(result, text.substr(0, end));
  if (end < text.size()) result += "…";
  return result;
}

}  // namespace portail
