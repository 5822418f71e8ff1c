// The suite that every KeyValueStore passes: core/storage/key_value_store.hpp, sentence by sentence. To run it over
// another store, link the object library store_conformance and write
//
//   INSTANTIATE_TEST_SUITE_P(Mine, StoreConformance, testing::Values([] { return std::make_unique<MyStore>(); }));
//
// The factory returns a new, empty store. Its calls must complete without suspending: a store that suspends is wrapped
// in one that runs its event loop until the call has completed. Tests of traits that a store does not claim are
// skipped.
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
#include "tests/support/test_context.hpp"

namespace portail {

using StoreFactory = std::function<std::unique_ptr<KeyValueStore>()>;

// A client of a store on one thread: every call runs to completion, and values are copied.
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
  // Returns the views, which are valid as long as the session.
  std::vector<Value> views(Session& session, const std::vector<std::string_view>& keys) {
    std::vector<Value> values(keys.size(), "left over");
    EXPECT_TRUE(run_ready(session.get(test_.context, keys, values)));
    return values;
  }
  Text get(Session& session, std::string_view key) {
    const Value value = views(session, {key}).front();
    return value ? Text(*value) : std::nullopt;
  }
  // Reads in a new session.
  Text get(std::string_view key) { return get(*open(), key); }

  // Returns at most `at_most` entries under the prefix, as "key=value".
  std::vector<std::string> scan(std::string_view prefix, std::size_t at_most = std::size_t(-1));

  Context& context() { return test_.context; }

 private:
  KeyValueStore& store_;
  CountingContext test_;
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

// For stores whose sessions copy values. The copied bytes count towards the limit of unsent answers
// (docs/reference/limits.md).
inline void expect_that_a_session_counts_its_copies(KeyValueStore& store) {
  StoreClient client(store);
  ASSERT_TRUE(client.write({{"a", "abc"}, {"b", std::string(5000, 'b')}, {"empty", ""}}));
  const auto session = client.open();
  EXPECT_EQ(session->copied_bytes(), 0U);
  EXPECT_EQ(client.views(*session, {"a", "absent", "b", "empty"}).size(), 4U);
  EXPECT_EQ(session->copied_bytes(), 5003U);
  EXPECT_EQ(client.views(*session, {"a"}).size(), 1U);
  EXPECT_EQ(session->copied_bytes(), 5006U);
}

}  // namespace portail
