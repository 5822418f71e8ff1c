// Converts between text and the JSON strings of stored values, as core/json/writer.hpp writes them. Any thread.
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

// Returns the text of a JSON string that append_json_string wrote.
std::string unquoted(std::string_view stored);

}  // namespace portail
