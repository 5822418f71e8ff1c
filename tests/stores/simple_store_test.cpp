#include "core/storage/simple_store.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

// A map in which each call of one kind fails if the test says so.
class MapStore : public SimpleStore {
 public:
  enum class Call { none, get, put, remove, keys };

  [[nodiscard]] Traits traits() const override { return {.compare_and_swap = true}; }

  Call failing = Call::none;
  int failures = 0;

 protected:
  Result<std::optional<std::string>> get(std::string_view key) override {
    if (fails(Call::get)) return std::unexpected(Failure::corrupt);
    const auto entry = map_.find(key);
    return entry == map_.end() ? std::nullopt : std::optional(entry->second);
  }
  Result<void> put(std::string_view key, std::string_view value) override {
    if (fails(Call::put)) return std::unexpected(Failure::unavailable);
    map_.insert_or_assign(std::string(key), value);
    return {};
  }
  Result<void> remove(std::string_view key) override {
    if (fails(Call::remove)) return std::unexpected(Failure::unavailable);
    map_.erase(std::string(key));
    return {};
  }
  Result<std::vector<std::string>> keys(std::string_view prefix) override {
    if (fails(Call::keys)) return std::unexpected(Failure::unavailable);
    std::vector<std::string> found;
    for (auto entry = map_.rbegin(); entry != map_.rend(); ++entry) {
      if (entry->first.starts_with(prefix)) found.push_back(entry->first);
    }
    return found;
  }

 private:
  bool fails(Call call) {
    if (call != failing) return false;
    ++failures;
    return true;
  }

  std::map<std::string, std::string, std::less<>> map_;
};

std::unique_ptr<KeyValueStore> make_map_store() { return std::make_unique<MapStore>(); }

INSTANTIATE_TEST_SUITE_P(Simple, StoreConformance, testing::Values(make_map_store),
                         [](const auto&) { return "store"; });

TEST(SimpleStore, CountsTheBytesThatASessionCopies) {
  MapStore store;
  expect_that_a_session_counts_its_copies(store);
}

TEST(SimpleStore, ClaimsNoTraitByDefault) {
  MapStore store;
  const auto traits = store.SimpleStore::traits();
  EXPECT_FALSE(traits.snapshots);
  EXPECT_FALSE(traits.compare_and_swap);
  EXPECT_FALSE(traits.atomic_batches);
}

// The store must stay usable while the failed Task exists: that Task must not hold the mutex.
class SimpleStoreFailure : public testing::Test {
 protected:
  template <class T>
  void expect_failure(MapStore::Call call, Failure expected, Task<T> task) {
    store.failing = call;
    task.start([](void*) {}, nullptr);
    ASSERT_TRUE(task.done());
    EXPECT_EQ(store.failures, 1);
    store.failing = MapStore::Call::none;
    EXPECT_EQ(client.get("k"), "1");
    const auto result = task.result();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), expected);
  }

  MapStore store;
  StoreClient client{store};
};

TEST_F(SimpleStoreFailure, OfAGetEndsTheRead) {
  ASSERT_TRUE(client.put("k", "1"));
  const auto session = client.open();
  const std::string_view key = "k";
  Value value;
  expect_failure(MapStore::Call::get, Failure::corrupt,
                 session->get(client.context(), std::span(&key, 1), std::span(&value, 1)));
}

TEST_F(SimpleStoreFailure, OfAGetEndsTheSwap) {
  ASSERT_TRUE(client.put("k", "1"));
  expect_failure(MapStore::Call::get, Failure::corrupt, store.compare_and_swap(client.context(), "k", "1", "2"));
}

TEST_F(SimpleStoreFailure, OfAPutEndsTheSwap) {
  ASSERT_TRUE(client.put("k", "1"));
  expect_failure(MapStore::Call::put, Failure::unavailable, store.compare_and_swap(client.context(), "k", "1", "2"));
}

TEST_F(SimpleStoreFailure, OfARemoveEndsTheWrite) {
  ASSERT_TRUE(client.put("k", "1"));
  const Change changes[] = {{"k", std::nullopt}, {"l", "2"}};
  expect_failure(MapStore::Call::remove, Failure::unavailable, store.write(client.context(), changes));
  EXPECT_EQ(client.get("l"), std::nullopt);
}

TEST_F(SimpleStoreFailure, OfTheKeysEndsTheScan) {
  ASSERT_TRUE(client.put("k", "1"));
  struct : Visitor {
    bool visit(std::string_view, std::string_view) override { return ++visits > 0; }
    int visits = 0;
  } visitor;
  expect_failure(MapStore::Call::keys, Failure::unavailable, store.scan(client.context(), "", visitor));
  EXPECT_EQ(visitor.visits, 0);
}

}  // namespace
}  // namespace portail
