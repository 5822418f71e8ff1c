#include "core/json/utf8.hpp"

#include <simdjson.h>

namespace portail {

bool is_valid_utf8(std::string_view text) { return simdjson::validate_utf8(text); }

}  // namespace portail
