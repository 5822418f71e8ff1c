#include "core/portal/piece_status.hpp"

#include <array>

namespace portail {
namespace {

// The text in lower case, with é, É, and e or E before a combining acute accent as "e"; cut off after what any known
// status needs.
struct Folded {
  std::array<char, 16> text{};
  std::size_t size = 0;
  [[nodiscard]] std::string_view view() const { return {text.data(), size}; }
};

Folded fold(std::string_view status) {
  Folded folded;
  for (std::size_t i = 0; i < status.size() && folded.size < folded.text.size(); ++i) {
    const std::string_view rest = status.substr(i);
    char letter = status[i];
    if (rest.starts_with("\u00e9") || rest.starts_with("\u00c9")) {
      letter = 'e';
      i += 1;
    } else if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    }
    if (letter == 'e' && rest.substr(1).starts_with("\u0301")) i += 2;
    folded.text[folded.size++] = letter;
  }
  return folded;
}

}  // namespace

PieceStatus recognise(std::string_view status) {
  if (status.size() >= 2 && status.front() == '"' && status.back() == '"') status = status.substr(1, status.size() - 2);
  const Folded folded = fold(status);
  const std::string_view text = folded.view();
  if (text == "valide") return PieceStatus::validated;
  if (text == "depose") return PieceStatus::deposited;
  if (text == "attendu") return PieceStatus::expected;
  if (text.starts_with("derog")) return PieceStatus::derogated;
  return PieceStatus::unknown;
}

}  // namespace portail
