// The results of checks, each with what to do about it. One thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "native/settings/fault.hpp"
#include "native/system/terminal.hpp"

namespace portail {

class Diagnosis {
 public:
  // `check` is its name, a constant. `remedy` is what to do; empty if there is nothing to do.
  void add(std::string_view check, Severity severity, std::string detail, std::string_view remedy = {});

  // Print the results in the order of add(): as rows, or as one JSON object.
  void print_table() const;
  void print_json() const;
  // Returns a fault that names the failed checks.
  [[nodiscard]] std::expected<void, Fault> verdict() const;

 private:
  struct Row {
    std::string_view check;
    Severity severity;
    std::string detail;
    std::string remedy;
  };
  std::vector<Row> rows_;
};

}  // namespace portail
