#include "core/base/printable.hpp"

namespace portail {

std::string printable(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  // C1 controls are two bytes of UTF-8.
  for (std::size_t i = safe.find('\xc2'); i != std::string::npos; i = safe.find('\xc2', i + 1)) {
    if (i + 1 < safe.size() && static_cast<unsigned char>(safe[i + 1]) < 0xa0) safe.replace(i, 2, "?");
  }
  return safe;
}

}  // namespace portail
