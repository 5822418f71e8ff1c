// The conformance suite over the folder store with an asynchronous stat of its revision.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "core/storage/folder/folder_store.hpp"
#include "edge/stores/folder/asynchronous_revision.hpp"
#include "tests/edge/store_suite.hpp"
#include "tests/edge/suite_request.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

constexpr auto folder_path = "/buckets/suite";

std::unique_ptr<FolderStore> open_folder() {
  auto store =
      FolderStore::open(folder_path, {.create = true}, std::make_unique<edge::AsynchronousRevision>(folder_path));
  if (store) return std::move(*store);
  std::puts(store.error().c_str());
  std::abort();
}

// A store with the value "old" under "k".
struct StoredValue {
  StoredValue() { write("old"); }

  void write(std::string_view value) {
    const Change change{"k", value};
    EXPECT_TRUE(run_waiting(store->write(test.context, {&change, 1})));
  }
  static void change_by_hand(std::string_view value) {
    const Descriptor file(open((std::string(folder_path) + "/k").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    EXPECT_EQ(::write(file.number(), value.data(), value.size()), static_cast<ssize_t>(value.size()));
  }
  std::string get() {
    const std::string_view key = "k";
    Value value;
    auto session = run_waiting(store->open(test.context));
    EXPECT_TRUE(run_waiting((*session)->get(test.context, {&key, 1}, {&value, 1})));
    return std::string(value.value_or("absent"));
  }

  std::unique_ptr<FolderStore> store = open_folder();
  CountingContext test;
};

TEST(AsynchronousRevision, LetsReadersUseCachedValuesUntilTheNextWrite) {
  StoredValue value;
  EXPECT_EQ(value.get(), "old");
  StoredValue::change_by_hand("by hand");
  EXPECT_EQ(value.get(), "old");
  value.write("new");
  EXPECT_EQ(value.get(), "new");
}

TEST(AsynchronousRevision, OfAFolderThatTheHostHasNotOpenedIsMissing) {
  CountingContext test;
  edge::AsynchronousRevision revisions("/elsewhere");
  const auto revision = run_waiting(revisions.read(test.context));
  ASSERT_TRUE(revision);
  EXPECT_EQ(*revision, std::nullopt);
}

}  // namespace

const bool store_of_suite_waits = true;

std::unique_ptr<KeyValueStore> open_store_of_suite() { return make_waiting(open_folder()); }

}  // namespace portail
