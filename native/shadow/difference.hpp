// Differences of two answers, and the rows of the contract that name them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract_rows.hpp"

namespace portail::shadow {

// The rows of docs/reference/contract.md, by which a comparison names differences. Constants; any thread.

// A row of the page, "Section: row", or a member of its tables of resources, "Resources: member".
constexpr bool is_row(std::string_view name) {
  return std::ranges::contains(contract::rows, name) || std::ranges::contains(contract::members, name);
}

// The name of a row; an unknown one does not compile.
class RowName {
 public:
  consteval RowName(const char* text) : text_(text) {
    if (!is_row(text_)) not_a_row();
  }
  // Returns the row of a field of an entity: "Answers: NAME", or "Resources: NAME".
  static consteval RowName of_field(std::string_view name) {
    RowName row;
    row.text_ = find(contract::rows, "Answers: ", name);
    if (row.text_.empty()) row.text_ = find(contract::members, "Resources: ", name);
    if (row.text_.empty()) not_a_row();
    return row;
  }
  constexpr operator std::string_view() const { return text_; }

 private:
  constexpr RowName() = default;
  static consteval std::string_view find(std::span<const std::string_view> rows, std::string_view section,
                                         std::string_view name) {
    for (const std::string_view row : rows) {
      if (row.starts_with(section) && row.substr(section.size()) == name) return row;
    }
    return {};
  }
  static void not_a_row() {}  // not constexpr: reaching it is a compile error

  std::string_view text_;
};

// A difference between two answers, with the row of the contract that it breaks. Pure functions; any thread.

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
