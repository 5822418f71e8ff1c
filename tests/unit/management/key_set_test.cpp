#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"
#include "tests/unit/management/management_test.hpp"

namespace portail {
namespace {

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
