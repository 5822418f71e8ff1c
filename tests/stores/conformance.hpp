// The suite that every KeyValueStore passes: core/storage/key_value_store.hpp, sentence by sentence. To run it over
// another store, link the object library store_conformance and write
//
//   INSTANTIATE_TEST_SUITE_P(Mine, StoreConformance, testing::Values([] { return std::make_unique<MyStore>(); }));
//
// The factory gives a new, empty store. Its calls must answer at once: a store that waits is wrapped in one that runs
// its event loop until it has answered. What a store does not claim in its traits is skipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/key_value_store.hpp"
#include "tests/unit/storage/test_context.hpp"

namespace portail {

using StoreFactory = std::function<std::unique_ptr<KeyValueStore>()>;

// A store as one thread sees it: every call run to its end, and copies instead of views.
class StoreClient {
 public:
  using Text = std::optional<std::string>;

  explicit StoreClient(KeyValueStore& store) : store_(store) {}

  Result<void> write(std::vector<Change> changes) { return run_ready(store_.write(test_.context, changes)); }
  Result<void> put(std::string_view key, std::string_view value) { return write({{key, value}}); }
  Result<void> remove(std::string_view key) { return write({{key, std::nullopt}}); }
  Result<bool> swap(std::string_view key, Value expected, std::string_view desired) {
    return run_ready(store_.compare_and_swap(test_.context, key, expected, desired));
  }

  std::unique_ptr<Session> open() {
    auto session = run_ready(store_.open(test_.context));
    return session ? std::move(*session) : nullptr;
  }
  // The views themselves; they live as long as the session.
  std::vector<Value> views(Session& session, const std::vector<std::string_view>& keys) {
    std::vector<Value> values(keys.size(), "left over");
    EXPECT_TRUE(run_ready(session.get(test_.context, keys, values)));
    return values;
  }
  Text get(Session& session, std::string_view key) {
    const Value value = views(session, {key}).front();
    return value ? Text(*value) : std::nullopt;
  }
  // In a session of its own.
  Text get(std::string_view key) { return get(*open(), key); }

  // "key=value" of everything under the prefix, until there are `at_most`.
  std::vector<std::string> scan(std::string_view prefix, std::size_t at_most = std::size_t(-1));

  Context& context() { return test_.context; }

 private:
  KeyValueStore& store_;
  TestContext test_;
};

class StoreConformance : public testing::TestWithParam<StoreFactory> {
 protected:
  std::unique_ptr<KeyValueStore> store = GetParam()();
  StoreClient client{*store};
};

inline std::vector<std::string> StoreClient::scan(std::string_view prefix, std::size_t at_most) {
  struct Collector : Visitor {
    bool visit(std::string_view key, std::string_view value) override {
      found.push_back(std::string(key) + '=' + std::string(value));
      return found.size() < limit;
    }
    std::vector<std::string> found;
    std::size_t limit = 0;
  } collector;
  collector.limit = at_most;
  EXPECT_TRUE(run_ready(store_.scan(test_.context, prefix, collector)));
  return collector.found;
}

// For stores whose sessions copy what they hand out. By these bytes a long answer is measured whose client does not
// take it (docs/reference/limits.md).
inline void expect_that_a_session_counts_its_copies(KeyValueStore& store) {
  StoreClient client(store);
  ASSERT_TRUE(client.write({{"a", "abc"}, {"b", std::string(5000, 'b')}, {"empty", ""}}));
  const auto session = client.open();
  EXPECT_EQ(session->copied(), 0U);
  EXPECT_EQ(client.views(*session, {"a", "absent", "b", "empty"}).size(), 4U);
  EXPECT_EQ(session->copied(), 5003U);
  EXPECT_EQ(client.views(*session, {"a"}).size(), 1U);
  EXPECT_EQ(session->copied(), 5006U);
}

}  // namespace portail
