// The rows of docs/reference/contract.md, by which a comparison names differences. Constants; any thread.
#pragma once

#include <algorithm>
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
  constexpr operator std::string_view() const { return text_; }

 private:
  static void not_a_row() {}  // not constexpr: reaching it is a compile error

  std::string_view text_;
};

}  // namespace portail::shadow
