// Strings in stored values are JSON strings as core/json/writer.hpp writes them; this is the way there and back. Any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "core/json/writer.hpp"

namespace portail {

inline std::string stored_string(std::string_view utf8) {
  std::string result;
  append_json_string(result, utf8);
  return result;
}

// The text of a JSON string that append_json_string wrote.
std::string unquoted(std::string_view stored);

}  // namespace portail
