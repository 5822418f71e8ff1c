// The conformance suite over the folder store with a cache, and what only its cache does.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/descriptor.hpp"
#include "edge/stores/folder/cached_folder_store.hpp"
#include "tests/edge/store_suite.hpp"
#include "tests/edge/suite_request.hpp"
#include "tests/unit/storage/test_context.hpp"

namespace portail {
namespace {

constexpr auto folder_path = "/buckets/suite";

std::unique_ptr<edge::CachedFolderStore> open_cached_folder() {
  auto store = FolderStore::open(folder_path, {});
  if (!store) store = FolderStore::open(folder_path, {.create = true});
  if (store) return std::make_unique<edge::CachedFolderStore>(std::move(*store), folder_path);
  std::puts(store.error().c_str());
  std::abort();
}

constexpr std::time_t modified = 1'600'000'000;  // seconds

// A store with one file, whose clock is that of a time at which the file was old.
struct CachedFile {
  CachedFile() { write("old"); }

  // Replaces the content of the file, whose identity and time of creation remain.
  void write(std::string_view content, std::time_t time = modified) const {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    const std::array<timespec, 2> times{timespec{.tv_sec = time, .tv_nsec = 0}, timespec{.tv_sec = time, .tv_nsec = 0}};
    EXPECT_EQ(::write(file.number(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
    EXPECT_EQ(futimens(file.number(), times.data()), 0);
  }
  std::string get() {
    const std::string_view key = "k";
    Value value;
    clock.readings = 0;
    auto session = run_waiting(store->open(context));
    EXPECT_TRUE(run_waiting((*session)->get(context, {&key, 1}, {&value, 1})));
    return std::string(value.value_or("absent"));
  }

  struct HookedClock : Clock {
    [[nodiscard]] Instant now() const override {
      if (++readings == 2 && on_second_reading) on_second_reading();
      return {4'000'000'000'000'000};
    }
    std::function<void()> on_second_reading;
    mutable int readings = 0;
  } clock;
  const std::string path = std::string(folder_path) + "/k";
  std::unique_ptr<edge::CachedFolderStore> store = open_cached_folder();
  TestContext test;
  Context context{clock, test.random, test.log, test.frames};
};

TEST(CachedFolder, KeepsAnUnchangedFile) {
  CachedFile file;
  EXPECT_EQ(file.get(), "old") << "the first lookup reads without a stat";
  file.write("new");
  EXPECT_EQ(file.get(), "new") << "the second one keeps what it reads";
  file.write("two");
  EXPECT_EQ(file.get(), "new") << "its size and times are those of the stat";
  file.write("longer");
  EXPECT_EQ(file.get(), "longer");
  file.write("longed", modified + 1);
  EXPECT_EQ(file.get(), "longed");
}

TEST(CachedFolder, ReadsTheClocksBeforeTheStat) {
  CachedFile file;
  EXPECT_EQ(file.get(), "old");
  EXPECT_EQ(file.clock.readings, 1);
  // What changes after the time that counts as that of the stat is seen by the stat.
  file.clock.on_second_reading = [&] { file.write("new", modified + 1); };
  EXPECT_EQ(file.get(), "new");
  EXPECT_EQ(file.clock.readings, 2);
  file.clock.on_second_reading = nullptr;
  file.write("old");
  EXPECT_EQ(file.get(), "old");
}

}  // namespace

const bool store_of_suite_waits = true;

std::unique_ptr<KeyValueStore> open_store_of_suite() { return make_waiting(open_cached_folder()); }

}  // namespace portail
