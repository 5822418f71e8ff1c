#include "core/portal/records/lines.hpp"

#include <charconv>

namespace portail {
namespace {

char unescaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace

std::string unquoted(std::string_view stored) {
  std::string text;
  if (stored.size() < 2) return text;
  stored = stored.substr(1, stored.size() - 2);
  if (!stored.contains('\\')) return std::string(stored);
  text.reserve(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] != '\\' || i + 1 == stored.size()) {
      text += stored[i];
    } else if (stored[++i] != 'u') {
      text += unescaped(stored[i]);
    } else {
      const std::string_view digits = stored.substr(i + 1, 4);
      unsigned control = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), control, 16);
      text += static_cast<char>(control);
      i += digits.size();
    }
  }
  return text;
}

}  // namespace portail
