// A difference between two answers, with the row of the contract that it breaks. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portail::shadow {

// What one side has, in two forms: `kind` has no personal data ("text of 12 characters"); `text` is a simple value
// itself, cut off at max_shown_size bytes, and the kind of lists and objects. Neither has a JWT.
struct ShownValue {
  std::string kind;
  std::string text;
};

inline constexpr std::size_t max_shown_size = 200;
// The elements of a list or members of an object that are compared. An upstream decides how many there are.
inline constexpr std::size_t max_elements = 200'000;

struct Difference {
  std::string_view row;  // of docs/reference/contract.md, "Answers: creationDate"; or "Resources: description"
  std::string location;  // "status", "header Cache-Control", or "body" with a JSON pointer: "body /items/0/id"
  ShownValue portal;
  ShownValue upstream;
};
using Differences = std::vector<Difference>;

// Returns `text`, or "(hidden)" if it may have a token: a JWT begins with the letters eyJ.
std::string without_token(std::string_view text);

ShownValue shown_absence();
ShownValue shown_status(int status);
// The value of a header.
ShownValue shown_text(std::string_view text);
// A JSON value by its text.
ShownValue shown_json(std::string_view value);

}  // namespace portail::shadow
