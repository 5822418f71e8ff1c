#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/management/management.hpp"
#include "core/management/stored_import_lock.hpp"
#include "core/storage/forwarding_store.hpp"
#include "core/storage/key.hpp"
#include "core/storage/memory_store.hpp"
#include "core/storage/read_value.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail {
namespace {

// A host of WebAssembly over memory.
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

// Calls `meanwhile` before the first write of a key set.
class InterruptedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Task<void> write(Context& context, std::span<const Change> changes) override {
    if (changes.front().key == stored_key_set_key && meanwhile) std::exchange(meanwhile, {})();
    co_await target().write(context, changes);
  }
  std::function<void()> meanwhile;
};

std::string key_set(std::string_view kid) {
  return std::string(
             R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":")")
      .append(kid)
      .append("\"}]}");
}

TEST(StoredKeys, AreThoseOfTheLastRecord) {
  MemoryStore memory;
  InterruptedStore store(memory);
  ManagementClient first(store);
  ManagementClient second(store);
  Answer refused;
  store.meanwhile = [&] { refused = second.put("/manage/keys", key_set("second")); };
  EXPECT_EQ(first.put("/manage/keys", key_set("first")).body, R"({"usable":1,"kids":["first"],"remarks":[]})");
  EXPECT_FALSE(store.meanwhile);  // it was called
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("; it is PUT /manage/keys by sub-admin, correlation id "), std::string::npos);
  TestContext test;
  EXPECT_EQ(*run_ready(read_value(test.context, memory, stored_key_set_key)), key_set("first"));
  EXPECT_NE(first.changes("keys").find(R"("keySet":{"usable":1,"kids":["first"],"remarks":[]})"), std::string::npos);
  EXPECT_EQ(first.changes("keys").find("second"), std::string::npos);
  EXPECT_EQ(second.put("/manage/keys", key_set("second")).status, 200);  // the lock was released
}

}  // namespace
}  // namespace portail
