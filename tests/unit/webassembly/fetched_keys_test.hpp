// Instances that fetch their key set from https://issuer.example/keys, and their store. One thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/memory_store.hpp"
#include "core/webassembly/fetched_keys.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

class FetchedKeysTest : public testing::Test {
 protected:
  using Names = std::vector<std::string>;

  // A store that cannot be written, or read.
  class FaultyStore final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    bool is_read_only = false;
    bool is_down = false;
    int opened = 0;

    Task<std::unique_ptr<Session>> open(Context& context) override {
      ++opened;
      if (is_down) co_await std::unexpected(Failure::unavailable);
      co_return co_await target().open(context);
    }
    Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                std::string_view desired) override {
      if (is_read_only) co_await std::unexpected(Failure::unavailable);
      co_return co_await target().compare_and_swap(context, key, expected, desired);
    }
  };

  FetchedKeysTest() { publish("one"); }

  static std::string key_set(std::string_view kid) {
    return R"({"keys":[{"kty":"oct","kid":")" + std::string(kid) +
           R"(","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]})";
  }
  static FetchPlan plan(std::string url = "https://issuer.example/keys") {
    return {.location = *key_location(url, Transport::direct),
            .issuer = "https://issuer.example",
            .times = {},
            .precedes_answer = false};
  }
  void publish(std::string_view kid) {
    client_.answers.insert_or_assign("issuer.example/keys", HttpAnswer{200, key_set(kid)});
  }
  // One request to an instance: with a token it needs keys.
  void request(FetchedKeys& keys, bool has_token = true) {
    ASSERT_TRUE(run_ready(keys.prepare(test_.context, has_token)));
    keys.after_answer(test_.context);
  }
  SharedKeySet refreshed(FetchedKeys& keys) {
    const SharedKeySet before = keys.current();
    return run_ready(keys.refreshed(test_.context, before)).value_or(nullptr);
  }
  static std::string kid_of(const SharedKeySet& keys) {
    for (const char* kid : {"one", "two"}) {
      if (keys && keys->find(kid)) return kid;
    }
    return "none";
  }
  std::string stored() {
    auto session = run_ready(values_.open(test_.context)).value();
    // Of https://issuer.example/keys.
    constexpr std::array keys{std::string_view("config.fetched-jwks.6ae29184b84af5e91283af16a47f8197")};
    std::array<Value, 1> values;
    EXPECT_TRUE(run_ready(session->get(test_.context, keys, values)));
    return std::string(values[0].value_or("none"));
  }

  TestContext test_;
  ScriptedClient client_{test_.clock};
  MemoryStore values_;
  FaultyStore store_{values_};
  FetchedKeys keys_{plan(), store_, client_};
};

}  // namespace portail
