#include "core/exchange/document/faults.hpp"

#include "core/exchange/import.hpp"
#include "core/json/writer.hpp"

namespace portail {

std::string DocumentLocation::text() const {
  std::string text = parent ? parent->text() + '.' : std::string();
  text += name;
  if (index) {
    text += '[';
    text += std::to_string(*index);
    text += ']';
  }
  return text;
}

void Faults::add(const DocumentLocation& location, std::string_view message) {
  if (++count_ > max_fault_lines) return;
  std::string line = location.text();
  line += ": ";
  line += message;
  lines_.push_back(std::move(line));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::size_t end = text.size();
  if (end > longest) {
    end = longest;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  }
  std::string result;
  append_json_string(result, text.substr(0, end));
  if (end < text.size()) result += "…";
  return result;
}

}  // namespace portail
