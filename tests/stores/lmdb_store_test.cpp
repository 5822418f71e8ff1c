#include "native/stores/lmdb/lmdb_store.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/storage/forwarding_store.hpp"
#include "native/stores/folder_use.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/temporary_folder.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

std::unique_ptr<lmdb::Store> open_or_abort(const std::filesystem::path& folder, const lmdb::Options& options) {
  auto store = lmdb::Store::open(folder, options);
  if (!store) ADD_FAILURE() << store.error();
  return std::move(*store);
}

// The store is destroyed before the folder.
struct OwnedLmdbStore {
  TemporaryFolder folder;
  std::unique_ptr<lmdb::Store> store = open_or_abort(folder.path(), {.create = true});
};
struct TemporaryLmdbStore : private OwnedLmdbStore, public ForwardingStore {
  TemporaryLmdbStore() : ForwardingStore(*store) {}
};

std::unique_ptr<KeyValueStore> make_lmdb_store() { return std::make_unique<TemporaryLmdbStore>(); }

INSTANTIATE_TEST_SUITE_P(Lmdb, StoreConformance, testing::Values(make_lmdb_store), [](const auto&) { return "store"; });

TEST(LmdbStore, KeepsNoCopiesForASession) {
  const auto store = make_lmdb_store();
  StoreClient client(*store);
  ASSERT_TRUE(client.put("a", "abc"));
  const auto session = client.open();
  EXPECT_EQ(client.get(*session, "a"), "abc");
  EXPECT_EQ(session->copied_bytes(), 0U);
}

TEST(LmdbStore, ClaimsEveryTrait) {
  const auto traits = make_lmdb_store()->traits();
  EXPECT_TRUE(traits.snapshots);
  EXPECT_TRUE(traits.compare_and_swap);
  EXPECT_TRUE(traits.atomic_batches);
}

TEST(LmdbStore, ReadsItsDataAfterReopening) {
  TemporaryFolder folder;
  {
    auto store = open_or_abort(folder.path(), {.create = true});
    ASSERT_TRUE(StoreClient(*store).write({{"k", "v"}, {"empty", ""}}));
  }
  auto store = open_or_abort(folder.path(), {.create = true});
  EXPECT_EQ(StoreClient(*store).scan(""), (std::vector<std::string>{"empty=", "k=v"}));
}

TEST(LmdbStore, IsAccessibleByItsUserOnly) {
  TemporaryFolder parent;
  const auto folder = parent.path() / "store";
  open_or_abort(folder, {.create = true});
  auto mode = [](const std::filesystem::path& path) {
    struct stat status{};
    stat(path.c_str(), &status);
    return status.st_mode & 07777;
  };
  EXPECT_EQ(mode(folder), 0700u);
  EXPECT_EQ(mode(folder / "data.mdb"), 0600u);
  EXPECT_EQ(mode(folder / "lock.mdb"), 0600u);
}

TEST(LmdbStore, RefusesWritesWhenOpenedReadOnly) {
  TemporaryFolder folder;
  ASSERT_TRUE(StoreClient(*open_or_abort(folder.path(), {.create = true})).put("k", "v"));
  auto store = open_or_abort(folder.path(), {.read_only = true});
  StoreClient client(*store);
  EXPECT_EQ(client.put("k", "new"), std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.swap("k", "v", "new"), std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.get("k"), "v");
}

TEST(LmdbStore, RejectsASessionAboveTheLimitAndContinues) {
  TemporaryFolder folder;
  auto store = open_or_abort(folder.path(), {.create = true});
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "v"));
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 16 * 1024; ++i) {
    sessions.push_back(client.open());
    ASSERT_NE(sessions.back(), nullptr) << i;
  }
  EXPECT_EQ(run_ready(store->open(client.context())).error(), Failure::unavailable);
  EXPECT_TRUE(client.put("k", "new"));
  EXPECT_EQ(client.get(*sessions.back(), "k"), "v");
  sessions.pop_back();
  EXPECT_EQ(client.get("k"), "new");
}

// A full map stands for a full disk.
TEST(LmdbStore, RejectsAWriteThatDoesNotFitAndContinues) {
  TemporaryFolder folder;
  auto store = open_or_abort(folder.path(), {.create = true, .map_size = 1 << 20});
  StoreClient client(*store);
  const std::string large(262'144, 'v');
  ASSERT_TRUE(client.write({{"first", "kept"}, {"large.0", large}}));
  EXPECT_EQ(client.write({{"first", "new"}, {"large.1", large}, {"large.2", large}, {"large.3", large}}),
            std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.scan(""), (std::vector<std::string>{"first=kept", "large.0=" + large}));
  EXPECT_TRUE(client.put("second", "fits"));
  EXPECT_TRUE(client.remove("large.0"));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.put("large.1", large)) << "freed pages are used again";
  EXPECT_EQ(client.get("second"), "fits");
}

// Reads check the path at most once a second; each write checks it.
TEST(LmdbStore, ChecksItsPathOnceASecondAndAtEachWrite) {
  const TemporaryFolder folder;
  const auto store = open_or_abort(folder.path(), {.create = true});
  const auto file = folder.path() / "data.mdb";
  TestContext test;
  const auto opens = [&] { return run_ready(store->open(test.context)).has_value(); };
  const auto writes = [&] {
    const Change change{"k", "v"};
    return run_ready(store->write(test.context, std::span(&change, 1))).has_value();
  };
  EXPECT_TRUE(opens());
  EXPECT_TRUE(writes());
  std::filesystem::rename(file, folder.path() / "moved");
  EXPECT_TRUE(opens()) << "in the same second";
  EXPECT_FALSE(writes()) << "also in the same second";
  test.clock.advance_seconds(1);
  EXPECT_FALSE(opens());
  EXPECT_FALSE(opens()) << "until the next check";
  std::filesystem::copy_file(folder.path() / "moved", file);
  test.clock.advance_seconds(1);
  EXPECT_FALSE(opens());
  std::filesystem::rename(folder.path() / "moved", file);
  test.clock.advance_seconds(1);
  EXPECT_TRUE(opens());
  EXPECT_TRUE(writes());
  std::filesystem::rename(folder.path() / "lock.mdb", folder.path() / "moved");
  EXPECT_FALSE(writes());
  const std::string event = "store: its files were replaced; it is no longer served: ";
  const std::string moved = event + file.string() + " was moved away: put it back, or stop this process";
  const std::string replaced =
      event + file.string() + " was replaced by another file: restart this process to use that one";
  const std::string lock =
      event + (folder.path() / "lock.mdb").string() + " was moved away: put it back, or stop this process";
  const std::vector<std::string> lines{moved, moved, moved, replaced, lock};
  std::vector<std::string> logged;
  std::ranges::copy_if(test.log.lines, std::back_inserter(logged),
                       [&event](const std::string& line) { return line.starts_with(event); });
  EXPECT_EQ(logged, lines);
}

// The check of one thread may be older than that of another.
TEST(OpenedFile, IsNotReportedAsTruncatedIfItGrowsDuringConcurrentChecks) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path) << 'x';
  struct stat opened{};
  ASSERT_EQ(stat(path.c_str(), &opened), 0);
  OpenedFile file(path, opened);
  constexpr int sizes = 20'000;
  std::atomic<int> faults = 0;
  {
    std::vector<std::jthread> checkers;
    for (int i = 0; i < 3; ++i) {
      checkers.emplace_back([&] {
        for (int check = 0; check < sizes; ++check) faults += file.fault().has_value() ? 1 : 0;
      });
    }
    for (int size = 2; size < sizes; ++size) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(size));
  }
  EXPECT_EQ(faults, 0);
  std::filesystem::resize_file(path, 1);
  EXPECT_EQ(file.fault(), path.string() + " was cut off: stop this process, and restore the store");
}

TEST(LmdbStore, LosesNothingIfTheFileCannotGrow) {
  TemporaryFolder folder;
  auto store = open_or_abort(folder.path(), {.create = true});
  StoreClient client(*store);
  const std::string large(262'144, 'v');
  ASSERT_TRUE(client.write({{"k", "kept"}, {"large.0", large}}));

  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limited = before;
  limited.rlim_cur = std::filesystem::file_size(folder.path() / "data.mdb") + 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  const auto refused = client.write({{"k", "new"}, {"large.1", large}});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(refused, std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.scan(""), (std::vector<std::string>{"k=kept", "large.0=" + large}));
  EXPECT_TRUE(client.put("k", "new"));
  store.reset();
  store = open_or_abort(folder.path(), {});
  EXPECT_EQ(StoreClient(*store).get("k"), "new");
}

// Returns whether the address is within the map of the store's file.
bool is_in_the_map(const char* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("/data.mdb")) continue;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> begin >> dash >> end;
    const auto target = reinterpret_cast<std::uintptr_t>(address);
    if (target >= begin && target < end) return true;
  }
  return false;
}

TEST(LmdbStore, ReturnsViewsOfTheMap) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t header = 16;
  TemporaryFolder folder;
  auto store = open_or_abort(folder.path(), {.create = true});
  StoreClient client(*store);
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, page, 3 * page - header, max_value_size}) {
    ASSERT_TRUE(client.put("k", std::string(size, 'v')));
    const auto session = client.open();
    EXPECT_TRUE(is_in_the_map(client.views(*session, {"k"}).front()->data())) << size;
  }
}

// Returns the resident memory of file pages in this process, in bytes.
std::size_t resident_file_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  std::size_t shared = 0;
  statm >> total >> resident >> shared;
  return shared * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(LmdbStore, ReleasesThePagesThatAScanHasRead) {
  TemporaryFolder folder;
  constexpr std::size_t count = 384;  // of 256 KiB: 96 MiB
  {
    auto store = open_or_abort(folder.path(), {.create = true});
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(StoreClient(*store).write({{"k" + std::to_string(i), std::string(max_value_size, 'v')}}));
    }
  }
  const auto scan_all = [&folder](bool releases_pages) {
    auto store = open_or_abort(folder.path(), {.releases_pages = releases_pages});
    const std::size_t before = resident_file_bytes();
    struct Count final : Visitor {
      std::size_t bytes = 0;
      bool visit(std::string_view, std::string_view value) override {
        bytes += static_cast<std::size_t>(std::ranges::count(value, 'v'));
        return true;
      }
    } counted;
    CountingContext test;
    EXPECT_TRUE(run_ready(store->scan(test.context, "k", counted)));
    EXPECT_EQ(counted.bytes, count * max_value_size);
    const std::size_t after = resident_file_bytes();
    return after > before ? after - before : 0;
  };
  EXPECT_GE(scan_all(false), std::size_t{90} << 20);
  EXPECT_LE(scan_all(true), std::size_t{48} << 20);
}

TEST(LmdbStore, ReportsInvalidPaths) {
  TemporaryFolder folder;
  const std::string path = folder.path().string();
  auto error = [](const std::string& name, const lmdb::Options& options = {.create = true}) {
    auto store = lmdb::Store::open(name, options);
    return store ? "opened" : store.error();
  };
  EXPECT_EQ(error(path + "/missing/store"),
            path + "/missing/store cannot be created: its parent folder does not exist: create it first");
  EXPECT_EQ(error(path + "/missing", {}),
            path + "/missing does not exist: import a document into it first, or name another store");
  EXPECT_EQ(error(path, {}),
            path + " holds no store (no data.mdb): import a document into it first, or name another store");
  EXPECT_EQ(error(path, {.create = true, .read_only = true}),
            path + " holds no store (no data.mdb): import a document into it first, or name another store");
  std::ofstream(path + "/file") << "text";
  EXPECT_EQ(error(path + "/file"), path + "/file is not a folder: an LMDB store is one, name another path");
  EXPECT_EQ(error(path + "/file/store"), path + "/file/store cannot be created: Not a directory");
  EXPECT_TRUE(std::ranges::equal(std::vector<std::string>{"file"}, std::filesystem::directory_iterator(path), {}, {},
                                 [](const auto& entry) { return entry.path().filename().string(); }))
      << "nothing was left behind";
}

TEST(LmdbStore, ReportsMissingWritePermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  auto store = lmdb::Store::open(folder.path(), {.create = true});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error(), folder.path().string() +
                               " cannot be opened as an LMDB store: data.mdb and lock.mdb must be writable for this "
                               "user: Permission denied");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(LmdbStore, Reserves64GiB) { EXPECT_EQ(lmdb::Options().map_size, 68'719'476'736U); }

TEST(LmdbStore, ReportsAMapThatDoesNotFit) {
  TemporaryFolder folder;
  auto store = lmdb::Store::open(folder.path(), {.create = true, .map_size = std::size_t{1} << 50});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error(), folder.path().string() +
                               " cannot be opened as an LMDB store: 1073741824 MiB of address space cannot be "
                               "reserved: raise the limit (ulimit -v), or choose a smaller map");
}

}  // namespace
}  // namespace portail
