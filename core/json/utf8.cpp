#include "core/json/utf8.hpp"

#include <simdjson.h>

namespace portail {

bool is_valid_utf8(std::string_view text) { return simdjson::validate_utf8(text); }

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto continuation = [&](unsigned shift) { out += static_cast<char>(0x80U | (code_point >> shift & 0x3FU)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | code_point >> 6U);
    continuation(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | code_point >> 12U);
    continuation(6);
    continuation(0);
  } else {
    out += static_cast<char>(0xF0U | code_point >> 18U);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace portail
