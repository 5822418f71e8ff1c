// Finds the texts of values in a JSON text, for values that must be kept byte for byte, such as an amount's decimals.
// The texts must be such that parse_json accepted them; for any other text the results are parts of it. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portail {

// Returns the text of the value of member `name`, without surrounding white space: a view into `object_text`. Names are
// compared after unescaping. If there are several such members, the last one; if none, nullopt.
std::optional<std::string_view> raw_member(std::string_view object_text, std::string_view name);

struct RawMember {
  std::string name;        // unescaped
  std::string_view value;  // a view into the object's text
};
// Returns the first `max` members of an object in the order of its text, with repeated names. Other values have none.
std::vector<RawMember> raw_members(std::string_view object_text, std::size_t max = std::string_view::npos);

// Returns the texts of the first `max` items of an array, without surrounding white space. Other values have none.
std::vector<std::string_view> raw_items(std::string_view array_text, std::size_t max = std::string_view::npos);

// Returns the value of a JSON string, whose text has its quotes.
std::string raw_string(std::string_view string_text);

}  // namespace portail
