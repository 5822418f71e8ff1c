#include "core/http/grammar.hpp"

namespace portail {

std::optional<std::string> parameter_value(std::string_view text) {
  if (is_token(text)) return std::string(text);
  if (!text.starts_with('"')) return std::nullopt;
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? std::optional(value) : std::nullopt;
    if (text[i] == '\\' && ++i == text.size()) break;
    value += text[i];
  }
  return std::nullopt;
}

}  // namespace portail
