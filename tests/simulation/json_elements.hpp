// Splits a well-formed JSON array into the texts of its elements. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portail::simulation {

inline std::vector<std::string> json_elements(std::string_view array) {
  std::vector<std::string> elements;
  int depth = 0;
  bool in_string = false;
  std::size_t begin = 1;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const char c = array[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if ((c == ',' && depth == 1) || (c == ']' && depth == 0)) {
      if (i > begin) elements.emplace_back(array.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return elements;
}

}  // namespace portail::simulation
