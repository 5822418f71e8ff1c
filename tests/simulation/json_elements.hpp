// Splits a well-formed JSON array or object into the texts of its elements or members. Any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portail::simulation {

// Returns the elements of an array, or `"name":value` of each member of an object.
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
    if ((c == ',' && depth == 1) || ((c == ']' || c == '}') && depth == 0)) {
      if (i > begin) elements.emplace_back(array.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return elements;
}

// Returns the JSON of an object's members, whose names have no escapes.
inline std::map<std::string, std::string> json_members(std::string_view object) {
  std::map<std::string, std::string> members;
  for (const std::string& element : json_elements(object)) {
    const std::size_t colon = element.find("\":");
    if (colon != std::string::npos) members.emplace(element.substr(1, colon - 1), element.substr(colon + 2));
  }
  return members;
}

}  // namespace portail::simulation
