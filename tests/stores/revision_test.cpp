// The revision of a folder: what moves it, and when cached values are used. All tests also run as wasm.
#include "core/storage/folder/revision.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/storage/folder/folder_store.hpp"
#include "core/storage/folder/folder_writer.hpp"
#include "core/storage/folder/primitives.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/portable_folder.hpp"

namespace portail {
namespace {

using namespace std::chrono_literals;

void overwrite(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  ASSERT_TRUE(file) << path;
  ASSERT_EQ(::write(file.number(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

class FolderRevision : public testing::Test {
 protected:
  [[nodiscard]] std::uint64_t size() const { return stat_revision(store->folder())->value_or(Revision{}).size; }
  // Changes the file of a key without a revision. A reader that uses cached values does not see it.
  void change_by_hand(std::string_view key, std::string_view value) { overwrite(folder / std::string(key), value); }

  // The writer acquires the lease with these changes. It is suspended then: other writers of the test may revoke it.
  void acquire(FolderWriter& writer, std::span<const Change> changes) {
    CountingContext test;
    ASSERT_TRUE(writer.stage(changes));
    ASSERT_TRUE(writer.acquire_lease(test.context, 5s));
  }

  PortableFolder folder;
  std::unique_ptr<FolderStore> store = *FolderStore::open(folder.path(), {.lease_timeout = 50ms});
  StoreClient client{*store};
};

TEST_F(FolderRevision, MovesWithEachWriteAndIsEvenAfterwards) {
  EXPECT_EQ(stat_revision(store->folder()).value(), std::nullopt);
  ASSERT_TRUE(client.put("k", "1"));
  EXPECT_EQ(size(), 2u);
  ASSERT_EQ(client.swap("k", "1", "2"), true);
  EXPECT_EQ(size(), 4u);
  ASSERT_TRUE(client.write({{"a", "1"}, {"b", "1"}, {"k", std::nullopt}}));
  EXPECT_EQ(size(), 6u);
  ASSERT_EQ(client.swap("a", "2", "3"), false);
  EXPECT_EQ(size(), 6u);
}

TEST_F(FolderRevision, IsNotMovedByWhatReadingChanges) {
  ASSERT_TRUE(client.put("k", "1"));
  for (std::string_view key : {"consultation.x.0", "audit.1.2", "config.jwks", "config.fetched-jwks.0"}) {
    ASSERT_TRUE(client.put(key, "v"));
    EXPECT_EQ(size(), 2u) << key;
    EXPECT_EQ(client.get(key), "v");
    change_by_hand(key, "w");
    EXPECT_EQ(client.get(key), "w") << key;
  }
  ASSERT_TRUE(client.write({{"audit.1.3", "v"}, {"k", "2"}}));
  EXPECT_EQ(size(), 4u);
}

TEST_F(FolderRevision, LetsReadersUseCachedValuesUntilTheNextWrite) {
  ASSERT_TRUE(client.write({{"k", "1"}, {"other", "1"}}));
  EXPECT_EQ(client.get("k"), "1");
  EXPECT_EQ(client.get("later"), std::nullopt);
  change_by_hand("k", "2");
  change_by_hand("later", "2");
  EXPECT_EQ(client.get("k"), "1");
  EXPECT_EQ(client.get("later"), std::nullopt);
  ASSERT_TRUE(client.put("other", "2"));
  EXPECT_EQ(client.get("k"), "2");
  EXPECT_EQ(client.get("later"), "2");
}

TEST_F(FolderRevision, IsReadOnceInASession) {
  ASSERT_TRUE(client.write({{"k", "1"}, {"other", "1"}}));
  auto session = client.open();
  EXPECT_EQ(client.get(*session, "k"), "1");
  ASSERT_TRUE(client.put("other", "2"));
  EXPECT_EQ(client.get(*session, "other"), "2") << "not cached: its file is read";
  EXPECT_EQ(client.get("other"), "2");
  EXPECT_EQ(client.get("k"), "1");
}

TEST_F(FolderRevision, OfAFolderWithoutOneMakesReadersReadEachFile) {
  for (std::string_view value : {"1", "2", "3"}) {
    change_by_hand("k", value);
    EXPECT_EQ(client.get("k"), value);
  }
}

TEST_F(FolderRevision, ThatIsOddMakesReadersReadEachFile) {
  ASSERT_TRUE(client.put("k", "0"));
  overwrite(folder / "~revision", "odd");
  for (std::string_view value : {"1", "2", "3"}) {
    change_by_hand("k", value);
    EXPECT_EQ(client.get("k"), value);
  }
  ASSERT_TRUE(client.put("other", "1"));
  EXPECT_EQ(size(), 4u);
  EXPECT_EQ(client.get("k"), "3");
  change_by_hand("k", "4");
  EXPECT_EQ(client.get("k"), "3") << "after the next write readers are fast again";
}

TEST_F(FolderRevision, ThatAKilledWriterLeftIsEndedByAnyWrite) {
  ASSERT_TRUE(client.put("k", "0"));
  overwrite(folder / "~revision", "odd");
  ASSERT_TRUE(client.put("consultation.x.0", "1"));
  EXPECT_EQ(size(), 4u);
}

TEST_F(FolderRevision, OfARestoredFolderIsAnotherOneThoughItHasTheSameSize) {
  ASSERT_TRUE(client.put("k", "1"));
  EXPECT_EQ(client.get("k"), "1");
  change_by_hand("k", "2");
  overwrite(folder / "restored", "..");
  const timespec past{.tv_sec = 1'600'000'000, .tv_nsec = 0};
  const timespec times[2] = {past, past};
  ASSERT_EQ(utimensat(AT_FDCWD, (folder / "restored").c_str(), times, 0), 0);
  ASSERT_EQ(rename((folder / "restored").c_str(), (folder / "~revision").c_str()), 0);
  EXPECT_EQ(size(), 2u);
  EXPECT_EQ(client.get("k"), "2");
}

// It is suspended between two changes, and another writer takes the lease.
TEST_F(FolderRevision, IsNotMovedByAWriterThatLostItsLease) {
  ASSERT_TRUE(client.write({{"a", "1"}, {"b", "1"}}));
  const std::array changes{Change{"a", "suspended"}, Change{"b", "suspended"}};
  {
    FolderWriter suspended(store->folder());
    ASSERT_NO_FATAL_FAILURE(acquire(suspended, changes));
    ASSERT_TRUE(suspended.apply(0, changes[0]));
    EXPECT_EQ(size(), 3u);
    EXPECT_EQ(client.get("a"), "suspended");
    ASSERT_TRUE(client.put("c", "1"));
    EXPECT_EQ(size(), 4u);
    EXPECT_FALSE(suspended.apply(1, changes[1]));
    EXPECT_EQ(size(), 4u);
  }
  EXPECT_EQ(size(), 4u);
  EXPECT_EQ(client.get("a"), "suspended");
  EXPECT_EQ(client.get("b"), "1");
}

TEST_F(FolderRevision, IsNotBegunByAWriterThatLostItsLease) {
  ASSERT_TRUE(client.put("a", "1"));
  const Change change{"a", "suspended"};
  FolderWriter suspended(store->folder());
  ASSERT_NO_FATAL_FAILURE(acquire(suspended, {&change, 1}));
  ASSERT_TRUE(client.put("b", "1"));
  const auto applied = suspended.apply(0, change);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().reason, "this writer was suspended for too long and lost its lease");
  EXPECT_EQ(size(), 4u);
  EXPECT_EQ(client.get("a"), "1");
}

// A host may have opened the folder of the lease, and rename a file in it, after the lease was revoked.
TEST_F(FolderRevision, IsSafeFromARenameThatBeganBeforeTheLeaseWasRevoked) {
  ASSERT_TRUE(client.put("a", "1"));
  const Change change{"a", "suspended"};
  FolderWriter suspended(store->folder());
  ASSERT_NO_FATAL_FAILURE(acquire(suspended, {&change, 1}));
  const Descriptor lease(::open((folder / "~writers/holder").c_str(), O_RDONLY | O_DIRECTORY));
  std::string token;
  ASSERT_TRUE(list_folder(lease.number(), ".", [&token](std::string_view name) {
    token = name;
    return false;
  }));
  const Descriptor inside(openat(lease.number(), token.c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_TRUE(inside);
  ASSERT_TRUE(client.put("b", "1"));
  EXPECT_EQ(renameat(inside.number(), "0", store->folder(), "a"), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(client.get("a"), "1");
}

// Programs before revisions acquired ~writers/lease, by renaming a folder to it.
TEST_F(FolderRevision, RefusesTheWritesOfOlderPrograms) {
  for (const char* path : {"~writers", "~writers/lease", "~writers/lease/older", "~writers/next"}) {
    ASSERT_EQ(mkdir((folder / path).c_str(), 0700), 0) << path;
  }
  overwrite(folder / "~writers/lease/older/0", "its change");
  ASSERT_TRUE(client.put("k", "1"));
  EXPECT_EQ(rename((folder / "~writers/lease/older/0").c_str(), (folder / "k").c_str()), -1);
  EXPECT_EQ(rename((folder / "~writers/next").c_str(), (folder / "~writers/lease").c_str()), -1);
  EXPECT_EQ(errno, ENOTDIR);
  EXPECT_EQ(client.get("k"), "1");
}

TEST_F(FolderRevision, DoesNotLetALargeListEvictWhatOthersUse) {
  ASSERT_TRUE(client.put("small", "1"));
  EXPECT_EQ(client.get("small"), "1");
  std::vector<std::string> keys;
  for (int i = 0; i < 16; ++i) {
    keys.push_back("large" + std::to_string(i));
    change_by_hand(keys.back(), std::string(max_value_size, 'v'));
  }
  auto session = client.open();
  for (const std::string& key : keys) EXPECT_EQ(client.get(*session, key).value_or("").size(), max_value_size);
  EXPECT_GT(store->cache().counts().bytes, max_value_size);
  change_by_hand("small", "2");
  EXPECT_EQ(client.get("small"), "1") << "it is cached";
}

}  // namespace
}  // namespace portail
