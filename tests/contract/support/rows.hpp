// The rows of docs/reference/contract.md: the clauses that can break separately. Each case names the rows that it
// checks: `rows` has their names. An unknown name does not compile, and a row without a case fails the run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "contract_rows.hpp"

namespace portail::contract {

class Row {
 public:
  consteval Row(const char* name)  // NOLINT(google-explicit-constructor): a row is named by its text
      : number_(static_cast<std::size_t>(std::ranges::find(rows, std::string_view(name)) - std::begin(rows))) {
    if (number_ == std::size(rows)) throw "no such row of the contract";
  }
  std::size_t number() const { return number_; }

 private:
  std::size_t number_;
};

// Prints the row, and records it with the test's result as covered.
void checks(Row row);

// Prints the rows without a case, and those whose cases were all skipped.
void print_rows();
std::size_t rows_without_case();
void watch_skipped_rows();  // before the tests run

}  // namespace portail::contract
