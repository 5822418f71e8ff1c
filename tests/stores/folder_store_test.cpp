// Tests of the store with one file for each key. All of them also run as wasm.
#include "core/storage/folder/folder_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/forwarding_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/portable_folder.hpp"

namespace portail {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<FolderStore> open_or_abort(const std::string& folder, const FolderOptions& options = {}) {
  auto store = FolderStore::open(folder, options);
  if (!store) ADD_FAILURE() << store.error();
  return std::move(*store);
}

// The store is destroyed before the folder.
struct OwnedFolderStore {
  PortableFolder folder;
  std::unique_ptr<FolderStore> store = open_or_abort(folder.path());
};
struct TemporaryFolderStore : private OwnedFolderStore, public ForwardingStore {
  TemporaryFolderStore() : ForwardingStore(*store) {}
};

std::unique_ptr<KeyValueStore> make_folder_store() { return std::make_unique<TemporaryFolderStore>(); }

INSTANTIATE_TEST_SUITE_P(Folder, StoreConformance, testing::Values(make_folder_store),
                         [](const auto&) { return "store"; });

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  EXPECT_TRUE(list_folder(AT_FDCWD, folder, [&names](std::string_view name) {
    names.emplace_back(name);
    return true;
  }));
  std::ranges::sort(names);
  return names;
}

void make_file(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  ASSERT_TRUE(file) << path;
  ASSERT_EQ(::write(file.number(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

void make_folder(const std::string& path) { ASSERT_EQ(mkdir(path.c_str(), 0700), 0) << path; }

using Names = std::vector<std::string>;

TEST(FolderStore, CountsTheBytesThatASessionKeeps) { expect_that_a_session_counts_its_copies(*make_folder_store()); }

TEST(FolderStore, LetsAWriterHoldTheLeaseFor5Seconds) { EXPECT_EQ(FolderOptions().lease_timeout, 5s); }

TEST(FolderStore, ClaimsCompareAndSwapOnly) {
  const auto traits = make_folder_store()->traits();
  EXPECT_FALSE(traits.snapshots);
  EXPECT_TRUE(traits.compare_and_swap);
  EXPECT_FALSE(traits.atomic_batches);
}

TEST(FolderStore, KeepsOneFileForEachKeyAndNoOtherFiles) {
  PortableFolder folder;
  auto store = open_or_abort(folder.path());
  StoreClient client(*store);
  ASSERT_TRUE(client.write({{"format", "1"}, {"liasse.=C3=A9", "v"}, {".", "dot"}, {"..", "dots"}, {"gone", "v"}}));
  ASSERT_TRUE(client.write({{"gone", std::nullopt}, {"never", std::nullopt}}));
  ASSERT_EQ(client.swap("format", "1", "2"), true);
  ASSERT_EQ(client.swap("format", "1", "3"), false);
  EXPECT_EQ(names_in(folder.path()), (Names{"format", "liasse.=C3=A9", "~.", "~..", "~revision", "~writers"}));
  EXPECT_EQ(names_in(folder / "~writers"), (Names{"holder", "lease"}));
  EXPECT_EQ(names_in(folder / "~writers/holder"), Names{});
  EXPECT_EQ(client.scan(""), (Names{".=dot", "..=dots", "format=2", "liasse.=C3=A9=v"}));
}

TEST(FolderStore, ReadsItsDataAfterReopeningAndFilesOfAnOperator) {
  PortableFolder folder;
  ASSERT_TRUE(StoreClient(*open_or_abort(folder.path())).write({{"k", "v"}, {"empty", ""}}));
  make_file(folder / "config.jwks", R"({"keys":[]})");
  make_file(folder / "Read me.txt", "no key has this name");
  auto store = open_or_abort(folder.path(), {.create = true});
  EXPECT_EQ(StoreClient(*store).scan(""), (Names{R"(config.jwks={"keys":[]})", "empty=", "k=v"}));
}

TEST(FolderStore, RejectsKeysThatWouldLeaveTheFolder) {
  PortableFolder folder;
  make_folder(folder / "store");
  make_file(folder / "outside", "secret");
  auto store = open_or_abort(folder / "store");
  StoreClient client(*store);
  for (std::string_view key : {"../outside", "a/b", "/etc", "~writers", "Z"}) {
    EXPECT_EQ(client.get(key), std::nullopt) << key;
    EXPECT_EQ(client.write({{"k", "v"}, {key, "v"}}), std::unexpected(Failure::too_large)) << key;
    EXPECT_EQ(client.write({{"k", "v"}, {key, std::nullopt}}), std::unexpected(Failure::too_large)) << key;
    EXPECT_EQ(client.swap(key, std::nullopt, "v"), std::unexpected(Failure::too_large)) << key;
  }
  EXPECT_EQ(client.scan(""), Names{});
  EXPECT_EQ(names_in(folder.path()), (Names{"outside", "store"}));
}

TEST(FolderStore, ReportsAFolderAtTheKeysPathAsDamageAndKeepsIt) {
  PortableFolder folder;
  auto store = open_or_abort(folder.path());
  StoreClient client(*store);
  ASSERT_TRUE(client.put("a", "1"));
  make_folder(folder / "k");
  make_file(folder / "k/precious", "v");
  EXPECT_EQ(client.put("k", "v"), std::unexpected(Failure::corrupt));
  EXPECT_EQ(client.remove("k"), std::unexpected(Failure::corrupt));
  EXPECT_EQ(client.swap("k", std::nullopt, "v"), std::unexpected(Failure::corrupt));
  auto session = client.open();
  const std::string_view key = "k";
  Value value;
  EXPECT_EQ(run_ready(session->get(client.context(), std::span(&key, 1), std::span(&value, 1))),
            std::unexpected(Failure::corrupt));
  EXPECT_EQ(names_in(folder / "k"), Names{"precious"});
  EXPECT_EQ(names_in(folder / "~writers"), (Names{"holder", "lease"}));
  EXPECT_EQ(client.get("a"), "1");
}

// Creates something other than a regular file at the path. A WASI host allows its guests the first two only.
struct Kind {
  std::string_view name;
  void (*make)(const std::string& path);
};
constexpr std::array kinds{
    Kind{"directory", make_folder},
    Kind{"symbolic link", [](const std::string& path) { ASSERT_EQ(symlink("regular", path.c_str()), 0); }},
    Kind{"symbolic link to itself", [](const std::string& path) { ASSERT_EQ(symlink("k", path.c_str()), 0); }},
    Kind{"symbolic link to nothing", [](const std::string& path) { ASSERT_EQ(symlink("missing", path.c_str()), 0); }},
#ifndef __wasi__
    Kind{"FIFO", [](const std::string& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); }},
    Kind{"symbolic link to a FIFO",
         [](const std::string& path) {
           ASSERT_EQ(mkfifo((path + ".fifo").c_str(), 0600), 0);
           ASSERT_EQ(symlink("k.fifo", path.c_str()), 0);
         }},
    Kind{"socket",
         [](const std::string& path) {
           const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
           sockaddr_un address{};
           address.sun_family = AF_UNIX;
           path.copy(std::data(address.sun_path), sizeof address.sun_path - 1);
           ASSERT_EQ(bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
         }},
#endif
};

TEST(FolderStore, ReportsSpecialFilesAsDamageWithoutBlocking) {
  int tried = 0;
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    PortableFolder folder;
    auto store = open_or_abort(folder.path());
    StoreClient client(*store);
    ASSERT_TRUE(client.put("regular", "1"));
    kind.make(folder / "k");
    auto session = client.open();
    const std::string_view key = "k";
    Value value;
    EXPECT_EQ(run_ready(session->get(client.context(), std::span(&key, 1), std::span(&value, 1))),
              std::unexpected(Failure::corrupt));
    EXPECT_EQ(client.swap("k", std::nullopt, "v"), std::unexpected(Failure::corrupt));
    EXPECT_EQ(client.get("regular"), "1");
    EXPECT_EQ(FolderStore::open(folder.path(), {.check_every_file = true}).error(),
              folder / "k" + " is not a regular file: move it away");
    ++tried;
  }
  EXPECT_EQ(tried, static_cast<int>(kinds.size()));
}

TEST(FolderStore, ReportsOtherFilesAtThePathsOfItsFoldersAsDamage) {
  int tried = 0;
  for (std::string_view path : {"~writers", "~writers/holder"}) {
    for (const Kind& kind : kinds) {
      if (kind.name == "directory") continue;
      SCOPED_TRACE(std::string(kind.name) + " as " + std::string(path));
      PortableFolder folder;
      auto store = open_or_abort(folder.path());
      StoreClient client(*store);
      ASSERT_TRUE(client.put("regular", "1"));
      ASSERT_EQ(rmdir((folder / "~writers/holder").c_str()), 0);
      if (path == "~writers") {
        ASSERT_EQ(unlink((folder / "~writers/lease").c_str()), 0);
        ASSERT_EQ(rmdir((folder / "~writers").c_str()), 0);
      }
      kind.make(folder / path);
      EXPECT_FALSE(client.swap("regular", "1", "2").has_value());
      EXPECT_EQ(client.get("regular"), "1");
      EXPECT_EQ(FolderStore::open(folder.path(), {.check_every_file = true}).error(),
                folder / path + " is not a directory: move it away");
      ++tried;
    }
  }
  EXPECT_EQ(tried, 2 * static_cast<int>(kinds.size()) - 2);
}

TEST(FolderStore, RefusesAFileThatIsLargerThanAnyValue) {
  PortableFolder folder;
  auto store = open_or_abort(folder.path());
  StoreClient client(*store);
  make_file(folder / "full", std::string(max_value_size, 'v'));
  make_file(folder / "over", std::string(max_value_size + 1, 'v'));
  make_file(folder / "far-over", std::string(3 * max_value_size, 'v'));
  EXPECT_EQ(client.get("full"), std::string(max_value_size, 'v'));
  auto session = client.open();
  for (std::string_view key : {"over", "far-over"}) {
    Value value;
    EXPECT_EQ(run_ready(session->get(client.context(), std::span(&key, 1), std::span(&value, 1))),
              std::unexpected(Failure::corrupt));
  }
  EXPECT_TRUE(client.put("over", "small again"));
  EXPECT_EQ(client.get("over"), "small again");
}

TEST(FolderStore, ReadsEverySizeAroundItsBuffers) {
  PortableFolder folder;
  auto store = open_or_abort(folder.path());
  StoreClient client(*store);
  auto session = client.open();
  for (std::size_t capacity : {4096u, 8192u, 16'384u, 49'152u, 65'472u, 65'536u, 131'072u, 200'000u}) {
    for (std::size_t size : {capacity - 65, capacity - 64, capacity - 1, capacity, capacity + 1, capacity + 64}) {
      std::string value(size, 'v');
      value.back() = 'e';
      make_file(folder / "k", value);
      ASSERT_EQ(client.get("k"), value) << size;
      ASSERT_EQ(client.get(*session, "k"), value) << size << ", behind others";
    }
  }
}

TEST(FolderStore, RefusesWritesWhenOpenedReadOnly) {
  PortableFolder folder;
  ASSERT_TRUE(StoreClient(*open_or_abort(folder.path())).put("k", "v"));
  auto store = open_or_abort(folder.path(), {.read_only = true});
  StoreClient client(*store);
  EXPECT_EQ(client.put("k", "new"), std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.swap("k", "v", "new"), std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.get("k"), "v");
}

// The files that a writer leaves which was killed while it held the lease; the test creates them.
TEST(FolderStore, TakesOverTheLeaseOfAWriterThatDied) {
  PortableFolder folder;
  auto store = open_or_abort(folder.path(), {.lease_timeout = 200ms});
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "1"));
  make_folder(folder / "~writers/holder/dead");
  make_file(folder / "~writers/holder/dead/0", "never made");
  EXPECT_EQ(client.get("k"), "1") << "readers do not wait";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(client.swap("k", "1", "2"), true);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
  EXPECT_EQ(client.get("k"), "2");
  EXPECT_EQ(names_in(folder / "~writers"), (Names{"holder", "lease"}));
  EXPECT_EQ(names_in(folder / "~writers/holder"), Names{});
}

TEST(FolderStore, StopsWaitingAtTheDeadline) {
  PortableFolder folder;
  auto store = open_or_abort(folder.path());
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "1"));
  make_folder(folder / "~writers/holder/holder");
  client.context().deadline = Instant{-1};  // the clock is at 0
  EXPECT_EQ(client.put("k", "2"), std::unexpected(Failure::cancelled));
  EXPECT_EQ(client.swap("k", "1", "2"), std::unexpected(Failure::cancelled));
  EXPECT_EQ(client.get("k"), "1");
  EXPECT_EQ(names_in(folder / "~writers"), (Names{"holder", "lease"}));
  EXPECT_EQ(names_in(folder / "~writers/holder"), Names{"holder"});
}

TEST(FolderStore, RemovesOldLeftoversAndKeepsYoungOnes) {
  PortableFolder folder;
  make_folder(folder / "~writers");
  for (std::string_view name : {"old", "young"}) {
    const std::string writer = folder / "~writers/" + std::string(name);
    make_folder(writer);
    make_folder(writer + "/inner");
    make_file(writer + "/inner/0", "v");
  }
  struct timespec times[2] = {};
  ASSERT_EQ(clock_gettime(CLOCK_REALTIME, &times[1]), 0);
  times[1].tv_sec -= 3700;
  times[0] = times[1];
  ASSERT_EQ(utimensat(AT_FDCWD, (folder / "~writers/old").c_str(), times, 0), 0);
  auto store = open_or_abort(folder.path());
  ASSERT_TRUE(StoreClient(*store).put("k", "v"));
  EXPECT_EQ(names_in(folder / "~writers"), (Names{"holder", "lease", "young"}));
}

TEST(FolderStore, ReportsInvalidPaths) {
  PortableFolder folder;
  const std::string& path = folder.path();
  auto error = [](const std::string& name, const FolderOptions& options) {
    auto store = FolderStore::open(name, options);
    return store ? "opened" : store.error();
  };
  EXPECT_EQ(error(path + "/missing/store", {.create = true}),
            path + "/missing/store cannot be created: its parent folder does not exist: create it first");
  EXPECT_TRUE(error(path + "/missing", {}).starts_with(path + "/missing "));
#ifndef __wasi__
  EXPECT_EQ(error(path + "/missing", {}),
            path + "/missing does not exist: import a document into it first, or name another store");
#else
  EXPECT_EQ(error("/elsewhere", {}),
            "/elsewhere cannot be reached: it does not exist, or the host does not preopen it (wasmtime: --dir "
            "HOST::GUEST)");
#endif
  make_file(path + "/file", "text");
  EXPECT_EQ(error(path + "/file", {}), path + "/file is not a folder: a dir: store is one, name another path");
  EXPECT_EQ(error(path, {.create = true}),
            path + " holds other files and no store (file): name an empty or a new folder");
  EXPECT_EQ(names_in(path), Names{"file"}) << "nothing was left behind";
}

TEST(FolderStore, ChecksEveryFileOnRequest) {
  PortableFolder folder;
  const std::string& path = folder.path();
  ASSERT_TRUE(StoreClient(*open_or_abort(path)).put("k", "v"));
  EXPECT_TRUE(FolderStore::open(path, {.check_every_file = true}));
  make_file(path + "/big", std::string(max_value_size + 1, 'v'));
  EXPECT_EQ(FolderStore::open(path, {.check_every_file = true}).error(),
            path + "/big is larger than any value: restore it from a backup, or move it away");
  ASSERT_EQ(unlink((path + "/big").c_str()), 0);
  make_folder(path + "/sub");
  EXPECT_EQ(FolderStore::open(path, {.check_every_file = true}).error(),
            path + "/sub is not a regular file: move it away");
}

}  // namespace
}  // namespace portail
