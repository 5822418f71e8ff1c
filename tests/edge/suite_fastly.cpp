// The suite of the KV store: `viceroy run`.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "edge/fastly/body.hpp"
#include "edge/fastly/kv_store.hpp"
#include "edge/http/make_handler.hpp"
#include "tests/edge/store_suite.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

TEST(EdgeKvStore, ListsMoreThanAPage) {
  const auto store = open_store_of_suite();
  CountingContext test;
  std::vector<std::string> names;
  for (int number = 1000; number < 3500; ++number) names.push_back("page." + std::to_string(number));
  std::vector<Change> changes;
  for (const std::string& name : names) changes.push_back({name, name});
  ASSERT_TRUE(run_ready(store->write(test.context, changes)));
  struct Entries : Visitor {
    bool visit(std::string_view key, std::string_view value) override {
      EXPECT_EQ(key, value);
      keys.emplace_back(key);
      return true;
    }
    std::vector<std::string> keys;
  } entries;
  ASSERT_TRUE(run_ready(store->scan(test.context, "page.", entries)));
  EXPECT_EQ(entries.keys, names);
  for (Change& change : changes) change.value = std::nullopt;
  ASSERT_TRUE(run_ready(store->write(test.context, changes)));
}

// What KvStore's compare-and-swap depends on.
TEST(EdgeKvStore, RefusesToReplaceAnotherGeneration) {
  using namespace fastly;
  const std::string_view key = "generation";
  const auto store = open_store_of_suite();
  CountingContext test;
  const auto write = [&](Value value) {
    const Change change{key, value};
    return run_ready(store->write(test.context, std::span(&change, 1)));
  };
  Handle kv = 0;
  ASSERT_EQ(fastly_kv_open("portail", 7, &kv), Status::ok);
  const auto insert = [&](std::uint32_t mask, const InsertOptions& options) {
    HostBody body = new_body("inserted");
    Handle handle = 0;
    StoreError error = StoreError::unset;
    EXPECT_EQ(fastly_kv_insert(kv, key.data(), key.size(), body.release(), mask, &options, &handle), Status::ok);
    EXPECT_EQ(fastly_kv_insert_wait(handle, &error), Status::ok);
    return error;
  };
  ASSERT_TRUE(write("one"));
  const std::uint32_t options = 0;
  Handle lookup = 0;
  Handle value = 0;
  std::size_t metadata_size = 0;
  InsertOptions of_one;
  StoreError error = StoreError::unset;
  ASSERT_EQ(fastly_kv_lookup(kv, key.data(), key.size(), 0, &options, &lookup), Status::ok);
  ASSERT_EQ(fastly_kv_lookup_wait(lookup, &value, nullptr, 0, &metadata_size, &of_one.generation, &error), Status::ok);
  const HostBody closed(value);
  ASSERT_TRUE(write("two"));
  EXPECT_EQ(insert(has_generation, of_one), StoreError::precondition_failed);
  EXPECT_EQ(insert(0, {.mode = InsertMode::add}), StoreError::precondition_failed);
  EXPECT_TRUE(run_ready(store->compare_and_swap(test.context, key, "two", "three")).value_or(false));
  EXPECT_FALSE(run_ready(store->compare_and_swap(test.context, key, "two", "four")).value_or(true));
  ASSERT_TRUE(write(std::nullopt));
  EXPECT_EQ(insert(0, {.mode = InsertMode::add}), StoreError::ok);
  ASSERT_TRUE(write(std::nullopt));
}

}  // namespace

const bool store_of_suite_waits = false;

std::unique_ptr<KeyValueStore> open_store_of_suite() { return open_or_abort<fastly::KvStore>("portail"); }

// No request comes.
std::unique_ptr<Handler> edge::make_handler(const Host&) { return nullptr; }

}  // namespace portail

int main() { return portail::run_store_suite() ? EXIT_SUCCESS : EXIT_FAILURE; }
