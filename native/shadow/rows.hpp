// The rows of docs/reference/contract.md, by which a comparison names differences. Constants; any thread.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "contract_rows.hpp"

namespace portail::shadow {

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

}  // namespace portail::shadow
