#include "tests/contract/support/rows.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace portail::contract {
namespace {

struct Coverage {
  bool named = false;
  bool run = false;  // by a case that was not skipped
};

std::array<Coverage, std::size(rows)> coverage;
std::vector<std::size_t> rows_of_this_test;

class SkippedRows : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { rows_of_this_test.clear(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Skipped()) return;
    for (const std::size_t row : rows_of_this_test) coverage.at(row).run = true;
  }
};

}  // namespace

void checks(Row row) {
  const std::string name(rows[row.number()]);
  std::printf("[ ROW      ] %s\n", name.c_str());
  testing::Test::RecordProperty("row_" + std::to_string(rows_of_this_test.size() + 1), name);
  coverage.at(row.number()).named = true;
  rows_of_this_test.push_back(row.number());
}

void watch_skipped_rows() { testing::UnitTest::GetInstance()->listeners().Append(new SkippedRows); }

std::size_t rows_without_case() {
  std::size_t missing = 0;
  for (const Coverage& each : coverage) missing += each.named ? 0 : 1;
  return missing;
}

void print_rows() {
  std::size_t run = 0;
  for (std::size_t i = 0; i < coverage.size(); ++i) {
    run += coverage[i].run ? 1 : 0;
    const std::string name(rows[i]);
    if (!coverage[i].named) std::printf("row without a case: %s\n", name.c_str());
    if (coverage[i].named && !coverage[i].run) std::printf("row only skipped: %s\n", name.c_str());
  }
  std::printf("contract: %zu of %zu rows checked\n", run, coverage.size());
}

}  // namespace portail::contract
