// The contract suite: black-box cases over HTTP against a host that it did not start
// (docs/reference/contract-suite.md).
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <gtest/gtest.h>
#include <sodium.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/environment.hpp"
#include "tests/contract/support/key_rules.hpp"
#include "tests/contract/support/rows.hpp"

namespace {

namespace contract = portail::contract;

class DataSet : public testing::Environment {
 public:
  void SetUp() override {
    try {
      contract::load_environment();
      contract::load_data_set();
      std::printf("contract: identifiers of this run begin with %s and %lld\n", contract::fill("$RUN").c_str(),
                  static_cast<long long>(contract::mail_object_id(0)));
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  }

  void TearDown() override {
    contract::remove_data_set();
    contract::print_rows();
    // A run of some cases must not report missing rows.
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    if (all.test_to_run_count() == all.total_test_count()) {
      EXPECT_EQ(contract::rows_without_case(), 0U) << "each row of the contract needs a case";
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (sodium_init() < 0) return 1;
  if (count == 2 && std::strcmp(arguments[1], "--print-key-rules") == 0) {
    std::puts(contract::key_rules_set().c_str());
    return 0;
  }
  testing::InitGoogleTest(&count, arguments);
  if (count != 1) {
    std::fprintf(stderr, "usage: %s [--print-key-rules | gtest flags]\n", arguments[0]);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): a peer that closes early is an answer, not the end
  testing::AddGlobalTestEnvironment(new DataSet);
  contract::watch_skipped_rows();
  return RUN_ALL_TESTS();
}
