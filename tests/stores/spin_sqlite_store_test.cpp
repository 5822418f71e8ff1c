#include "native/stores/spin_sqlite/spin_sqlite_store.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "core/storage/forwarding_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

std::unique_ptr<spin_sqlite::Store> open_or_fail(const std::filesystem::path& file, std::string_view label = "default",
                                                 const spin_sqlite::Options& options = {.create = true}) {
  auto store = spin_sqlite::Store::open(file, label, options);
  if (!store) ADD_FAILURE() << store.error();
  return std::move(*store);
}

std::string opening_error(const std::filesystem::path& file, const spin_sqlite::Options& options) {
  auto store = spin_sqlite::Store::open(file, "default", options);
  return store ? "none" : store.error();
}

// The store is destroyed before the folder.
struct OwnedSpinSqliteStore {
  TemporaryFolder folder;
  std::unique_ptr<spin_sqlite::Store> sqlite = open_or_fail(folder.path() / "portail.db");
};
struct TemporarySpinSqliteStore : private OwnedSpinSqliteStore, public ForwardingStore {
  TemporarySpinSqliteStore() : ForwardingStore(*sqlite) {}
};

std::unique_ptr<KeyValueStore> make_spin_sqlite_store() { return std::make_unique<TemporarySpinSqliteStore>(); }

INSTANTIATE_TEST_SUITE_P(SpinSqlite, StoreConformance, testing::Values(make_spin_sqlite_store),
                         [](const auto&) { return "store"; });

// Another program that uses the file, as Spin does.
class OtherProgram {
 public:
  explicit OtherProgram(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
  }
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;
  ~OtherProgram() { sqlite3_close(database_); }

  // Returns the rows, one a line, their columns separated by '|'.
  std::string run(const std::string& sql) {
    std::string rows;
    const auto add = [](void* text, int columns, char** values, char**) {
      auto& out = *static_cast<std::string*>(text);
      for (int i = 0; i < columns; ++i) out.append(i > 0 ? "|" : "").append(values[i] ? values[i] : "NULL");
      out += '\n';
      return 0;
    };
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), add, &rows, &error), SQLITE_OK) << error;
    sqlite3_free(error);
    return rows;
  }

 private:
  sqlite3* database_ = nullptr;
};

TEST(SpinSqliteStore, ClaimsAllButSnapshots) {
  const auto traits = make_spin_sqlite_store()->traits();
  EXPECT_FALSE(traits.snapshots);
  EXPECT_TRUE(traits.compare_and_swap);
  EXPECT_TRUE(traits.atomic_batches);
}

TEST(SpinSqliteStore, CountsTheBytesThatASessionKeeps) {
  expect_that_a_session_counts_its_copies(*make_spin_sqlite_store());
}

TEST(SpinSqliteStore, KeepsEachValueAsABlobInSpinsTable) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  const auto store = open_or_fail(file);
  StoreClient client(*store);
  ASSERT_TRUE(client.write({{"tiers.T1", R"({"id":"T1"})"}, {"empty", ""}, {"gone", "v"}, {"gone", std::nullopt}}));
  OtherProgram spin(file);
  EXPECT_EQ(spin.run("SELECT store, key, typeof(value), hex(value) FROM spin_key_value ORDER BY key"),
            "default|empty|blob|\ndefault|tiers.T1|blob|7B226964223A225431227D\n");
  EXPECT_EQ(spin.run("PRAGMA table_info(spin_key_value)"),
            "0|store|TEXT|1|NULL|1\n1|key|TEXT|1|NULL|2\n2|value|BLOB|1|NULL|0\n");
  EXPECT_EQ(spin.run("PRAGMA integrity_check"), "ok\n");
}

TEST(SpinSqliteStore, SeesWritesOfAnotherProgram) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  const auto store = open_or_fail(file);
  StoreClient client(*store);
  ASSERT_TRUE(client.put("configuration", "ours"));
  OtherProgram spin(file);
  spin.run("UPDATE spin_key_value SET value = X'7468656972' || '' WHERE key = 'configuration'");
  EXPECT_EQ(client.get("configuration"), "their");
  EXPECT_EQ(client.swap("configuration", "ours", "new"), false);
  EXPECT_EQ(client.swap("configuration", "their", "new"), true);
  EXPECT_EQ(spin.run("SELECT value FROM spin_key_value"), "new\n");
}

TEST(SpinSqliteStore, UsesOnlyTheStoreOfItsLabel) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  const auto store = open_or_fail(file);
  const auto other = open_or_fail(file, "l'autre");
  ASSERT_TRUE(StoreClient(*store).put("k", "default's"));
  ASSERT_TRUE(StoreClient(*other).put("k", "other's"));
  ASSERT_TRUE(StoreClient(*other).remove("absent"));
  EXPECT_EQ(StoreClient(*store).scan(""), std::vector<std::string>{"k=default's"});
  EXPECT_EQ(StoreClient(*other).scan(""), std::vector<std::string>{"k=other's"});
  ASSERT_TRUE(StoreClient(*other).remove("k"));
  EXPECT_EQ(StoreClient(*store).get("k"), "default's");
}

TEST(SpinSqliteStore, WaitsFor5SecondsForTheFile) {
  EXPECT_EQ(spin_sqlite::Options().busy_timeout, std::chrono::seconds(5));
}

TEST(SpinSqliteStore, ChangesNothingWhileAnotherProgramLocksTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  const auto store = open_or_fail(file, "default", {.create = true, .busy_timeout = std::chrono::milliseconds(1)});
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "old"));
  OtherProgram spin(file);
  spin.run("BEGIN IMMEDIATE");
  EXPECT_EQ(client.put("k", "new").error(), Failure::unavailable);
  EXPECT_EQ(client.get("k"), "old");
  spin.run("COMMIT");
  EXPECT_TRUE(client.put("k", "new"));
  EXPECT_EQ(client.get("k"), "new");
}

TEST(SpinSqliteStore, AcknowledgesNoWriteToAFileThatWasMovedAway) {
  for (const char* mode : {"DELETE", "WAL"}) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "portail.db";
    const auto store = open_or_fail(file);
    OtherProgram(file).run(std::string("PRAGMA journal_mode = ") + mode);
    StoreClient client(*store);
    ASSERT_TRUE(client.put("k", "before")) << mode;
    std::filesystem::rename(file, folder.path() / "moved");
    EXPECT_FALSE(client.put("k", "after")) << mode;
    EXPECT_FALSE(client.swap("k", "before", "after").value_or(false)) << mode;
    std::filesystem::rename(folder.path() / "moved", file);
    EXPECT_EQ(client.get("k"), "before") << mode;
    EXPECT_TRUE(client.put("k", "after")) << mode;
  }
}

TEST(SpinSqliteStore, IsAccessibleByItsUserOnly) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  const auto store = open_or_fail(file);
  struct stat status{};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(SpinSqliteStore, ReportsInvalidFilesInOneLine) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  const std::string name = file.string();
  EXPECT_EQ(opening_error(file, {}), name + " does not exist: import a document into it first, or name another store");
  EXPECT_EQ(opening_error(folder.path() / "absent" / "portail.db", {.create = true}),
            (folder.path() / "absent" / "portail.db").string() +
                " cannot be created: its folder does not exist: create it first");
  EXPECT_EQ(opening_error(folder.path(), {.create = true}),
            folder.path().string() + " cannot be opened as an SQLite file: unable to open database file");
  std::ofstream(file) << "This is no database, though it has a hundred bytes: its first sixteen are not those that one "
                         "begins with.";
  EXPECT_EQ(opening_error(file, {.create = true}), name + " is not an SQLite file: name another store");
  std::filesystem::remove(file);
  OtherProgram(file).run("CREATE TABLE another (a)");
  EXPECT_EQ(opening_error(file, {}),
            name + " holds no key-value store of Spin: import a document into it first, or name another file");
  EXPECT_EQ(opening_error(file, {.create = true}), "none");
}

TEST(SpinSqliteStore, FindsDamageWhenEveryPageIsChecked) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "portail.db";
  {
    const auto store = open_or_fail(file);
    StoreClient client(*store);
    for (int i = 100; i < 200; ++i) ASSERT_TRUE(client.put("k." + std::to_string(i), std::string(1000, 'v')));
  }
  EXPECT_EQ(opening_error(file, {.read_only = true, .check_every_page = true}), "none");
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(10 * 4096);
    bytes << std::string(64, '\xff');
  }
  EXPECT_EQ(opening_error(file, {.read_only = true, .check_every_page = true}),
            file.string() + " is damaged: restore it from a backup");
}

}  // namespace
}  // namespace portail
