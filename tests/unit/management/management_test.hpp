// The management interface over memory, as a host of WebAssembly runs it. Shared by the tests of core/management.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/management/management.hpp"
#include "core/management/stored_import_lock.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/answer.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail {

class MemoryHost final : public ManagementHost {
 public:
  explicit MemoryHost(KeyValueStore& store) : store_(store) {}
  std::unique_ptr<Spool> new_spool() override { return std::make_unique<MemorySpool>(); }
  Task<std::expected<std::unique_ptr<ImportLease>, std::string>> lock_import(Context& context,
                                                                             const Author& author) override {
    return acquire_stored_lock(context, store_, author, ImportHolder::guest);
  }

 private:
  KeyValueStore& store_;
};

// A portal, and the client that calls it with the permission.
class ManagementClient {
 public:
  explicit ManagementClient(KeyValueStore& store)
      : host_(store), management_(settings(), host_, test_key_set(), store) {}

  Answer put(std::string_view target, std::string_view json) {
    return ask(TestRequest("PUT", target, administrator_).json(json).view());
  }
  // Returns the records of changes as JSON lines.
  std::string changes(std::string_view action) {
    return ask(TestRequest("GET", std::string("/manage/audit?action=").append(action), administrator_).view()).body;
  }

 private:
  static ManagementSettings settings() {
    ManagementSettings settings;
    settings.tokens = test_token_settings();
    settings.administrators = {"sub-admin"};
    return settings;
  }
  Answer ask(const Request& request) {
    TestContext test(++seed_);
    const auto answer = run_ready(serve(test.context, management_, request));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(Answer{});
  }

  MemoryHost host_;
  Management management_;
  const std::string administrator_ = make_test_token({.subject = "sub-admin"});
  std::uint64_t seed_ = 0;
};

}  // namespace portail
