// Files that are not a store, or damaged: reported at startup, in one line, and not changed.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/lmdb/lmdb_file.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/temporary_folder.hpp"
#include "tests/support/seed_of_run.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail {
namespace {

constexpr std::size_t page = 4096;

class LmdbDamage : public testing::Test {
 protected:
  // A store of a few hundred pages: a tree of two levels, and large values.
  void SetUp() override {
    auto store = lmdb::Store::open(folder.path(), {.create = true});
    ASSERT_TRUE(store) << store.error();
    StoreClient client(**store);
    std::vector<std::string> keys;
    for (int i = 100; i < 400; ++i) keys.push_back("k." + std::to_string(i));
    // Written three times, so that the file has free pages.
    for (const char* letter : {"u", "v", "w"}) {
      const std::string large(20'000, *letter);
      std::vector<Change> changes;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        changes.push_back({keys[i], std::string_view(large).substr(0, i % 10 == 0 ? 20'000 : 700)});
      }
      ASSERT_TRUE(client.write(changes));
    }
  }

  // Returns the error without the path at its start; "opened" if the store was opened.
  [[nodiscard]] std::string error(const lmdb::Options& options = {}) const {
    auto store = lmdb::Store::open(folder.path(), options);
    if (store) return "opened";
    EXPECT_TRUE(store.error().starts_with(file.string() + ' ')) << store.error();
    EXPECT_EQ(store.error().find('\n'), std::string::npos);
    return store.error().substr(file.string().size() + 1);
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(std::size_t offset, std::string_view with) const {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(offset));
    out << with;
  }
  template <class T = std::uint64_t>
  [[nodiscard]] T number_at(std::size_t offset) const {
    T value = 0;
    bytes().copy(reinterpret_cast<char*>(&value), sizeof value, offset);
    return value;
  }
  template <class T>
  void put(std::size_t offset, T value) const {
    overwrite(offset, {reinterpret_cast<const char*>(&value), sizeof value});
  }
  // Returns the offset of the last commit's meta page; the other one is of the previous commit.
  [[nodiscard]] std::size_t last_meta_page() const { return number_at(144) > number_at(page + 144) ? 0 : page; }
  // Returns the page number of the data tree's root, as of the last commit.
  [[nodiscard]] std::size_t root_page() const { return number_at(last_meta_page() + 128); }

  // Returns the offset of a node of the page.
  [[nodiscard]] std::size_t node(std::size_t number, std::size_t index) const {
    return number * page + number_at<std::uint16_t>(number * page + 16 + 2 * index);
  }
  [[nodiscard]] std::size_t child(std::size_t number, std::size_t index) const {
    return number_at<std::uint32_t>(node(number, index));
  }
  // Returns the data tree's first leaf, whose first key, k.100, has a large value.
  [[nodiscard]] std::size_t first_leaf() const {
    std::size_t number = root_page();
    while (number_at<std::uint16_t>(number * page + 10) == 1) number = child(number, 0);
    return number;
  }
  [[nodiscard]] std::size_t first_large_value() const { return number_at(node(first_leaf(), 0) + 8 + 5); }
  [[nodiscard]] std::size_t root_of_free_pages() const { return number_at(last_meta_page() + 80); }
  // Returns the offset of the first list of free pages: their count, and their numbers.
  [[nodiscard]] std::size_t first_free_pages() const {
    std::size_t number = root_of_free_pages();
    while (number_at<std::uint16_t>(number * page + 10) == 1) number = child(number, 0);
    const std::size_t first = node(number, 0);
    const bool is_big = number_at<std::uint16_t>(first + 4) == 1;
    return is_big ? number_at(first + 16) * page + 16 : first + 16;
  }
  static std::string damaged_at(std::size_t number) {
    return "is damaged at page " + std::to_string(number) + ": restore it from a backup";
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "data.mdb";
};

TEST_F(LmdbDamage, IsNotReportedForAnIntactFile) { EXPECT_EQ(error(), "opened"); }

TEST_F(LmdbDamage, OfAnEmptyFile) {
  std::filesystem::resize_file(file, 0);
  EXPECT_EQ(error(), "is empty: restore it from a backup, or remove it to start with an empty store");
  EXPECT_EQ(error({.create = true}), "is empty: restore it from a backup, or remove it to start with an empty store");
  EXPECT_EQ(std::filesystem::file_size(file), 0u) << "left as it is";
}

TEST_F(LmdbDamage, OfAnotherKindOfFile) {
  std::ofstream(file, std::ios::trunc) << std::string(100'000, 'x');
  EXPECT_EQ(error({.create = true}), "is not an LMDB file, or its first pages are damaged: restore it from a backup");
  EXPECT_EQ(bytes(), std::string(100'000, 'x')) << "left as it is";
}

TEST_F(LmdbDamage, OfAShortText) {
  std::ofstream(file, std::ios::trunc) << "hello";
  EXPECT_EQ(error({.create = true}), "is not an LMDB file, or is cut off at its beginning: restore it from a backup");
}

TEST_F(LmdbDamage, OfTheFirstOrSecondMetaPage) {
  overwrite(page, std::string(page, '\0'));
  EXPECT_EQ(error(), "is not an LMDB file, or its first pages are damaged: restore it from a backup");
  overwrite(0, std::string(page, '\0'));
  EXPECT_EQ(error(), "is not an LMDB file, or its first pages are damaged: restore it from a backup");
}

TEST_F(LmdbDamage, OfAnInvalidPageSize) {
  overwrite(40, std::string_view("\x01\x02\x03\x04", 4));
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
}

// If the disk rejects a meta page, LMDB restores a part of its old content, with the new trees: the previous commit is
// intact.
TEST_F(LmdbDamage, IsNotReportedForAMetaPageThatCouldNotBeWritten) {
  constexpr std::string_view one_page("\x01\0\0\0\0\0\0\0", 8);  // of the file, as the last one in use
  overwrite(page - last_meta_page() + 136, one_page);
  EXPECT_EQ(error(), "opened");
  overwrite(last_meta_page() + 136, one_page);
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
}

TEST_F(LmdbDamage, OfAnotherVersion) {
  overwrite(20, std::string_view("\x02\0\0\0", 4));
  EXPECT_EQ(error(),
            "is of LMDB file version 2, this program reads version 1: convert it with the mdb_dump and mdb_load of "
            "its version");
}

TEST_F(LmdbDamage, OfAFileThatIsCutOffAnywhere) {
  const std::size_t size = std::filesystem::file_size(file);
  ASSERT_GT(size, 100 * page);
  EXPECT_EQ(size % page, 0u);
  const std::string whole = bytes();
  for (std::size_t left = size - page; left >= 2 * page; left = left > 40 * page ? left - 37 * page : left - page) {
    std::filesystem::resize_file(file, left);
    const std::string line = error();
    // Pages that no commit uses may be missing; a store that opens must be intact.
    if (line == "opened") {
      auto store = lmdb::Store::open(folder.path(), {});
      EXPECT_EQ(StoreClient(**store).scan("k.").size(), 300u);
    } else {
      EXPECT_TRUE(line.starts_with("is cut off: it uses page ")) << line;
      EXPECT_TRUE(line.ends_with(" and ends after " + std::to_string(left / page) + " pages: restore it from a backup"))
          << line;
    }
    overwrite(0, whole);
  }
  std::filesystem::resize_file(file, 2 * page);
  EXPECT_TRUE(error().starts_with("is cut off: it uses page "));
  std::filesystem::resize_file(file, page);
  EXPECT_EQ(error(), "is not an LMDB file, or is cut off at its beginning: restore it from a backup");
}

// LMDB does not write a page that it allocated and freed within one transaction, so an intact file may be shorter than
// its meta page states.
TEST_F(LmdbDamage, IsNotReportedIfOnlyFreePagesAreMissing) {
  TemporaryFolder other;
  {
    auto store = lmdb::Store::open(other.path(), {.create = true});
    ASSERT_TRUE(store);
    StoreClient client(**store);
    // After a few commits LMDB has free pages, and adds the large value's 65 pages to them.
    for (const char* value : {"1", "2", "3", "4", "5"}) ASSERT_TRUE(client.put("a", value));
    const std::string large(262'144, 'v');
    ASSERT_TRUE(client.write({{"a", "1"}, {"z", large}, {"z", std::nullopt}}));
  }
  EXPECT_LT(std::filesystem::file_size(other.path() / "data.mdb"), 64 * page) << "the pages were written after all";
  auto store = lmdb::Store::open(other.path(), {});
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(StoreClient(**store).scan(""), std::vector<std::string>{"a=1"});
}

TEST_F(LmdbDamage, OfTheRootOfTheTree) {
  const std::size_t root = root_page();
  ASSERT_GE(root, 2u);
  overwrite(root * page, std::string(page, '\xFF'));
  EXPECT_EQ(error(), "is damaged at page " + std::to_string(root) + ": restore it from a backup");
}

TEST_F(LmdbDamage, OfALeafIsReportedWhenTheStoreIsOpened) {
  const std::string all = bytes();
  std::size_t leaf = 0;
  std::string line = "opened";
  // Pages of old versions lie between; the first damaged leaf in use is reported.
  for (leaf = 2; leaf < all.size() / page && line == "opened"; ++leaf) {
    if (all[leaf * page + 10] != 2) continue;
    overwrite(leaf * page, std::string(page, '\0'));
    line = error();
    if (line != "opened") break;
  }
  EXPECT_EQ(line, "is damaged at page " + std::to_string(leaf) + ": restore it from a backup");
}

// After batches of any size, removals, and readers that keep old pages, the file is always intact.
TEST_F(LmdbDamage, IsNotReportedAfterRandomWrites) {
  for (const std::uint64_t offset : {0U, 1U, 2U, 3U}) {
    const std::uint64_t seed = seed_of_run() + offset;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TemporaryFolder other;
    SeededRandom random(seed);
    const std::string bytes(20'000, 'v');
    for (int opening = 0; opening < 12; ++opening) {
      auto store = lmdb::Store::open(other.path(), {.create = true});
      ASSERT_TRUE(store) << store.error();
      StoreClient client(**store);
      std::unique_ptr<Session> reader;
      for (int batch = 0; batch < 8; ++batch) {
        if (random.one_in(3)) reader = random.one_in(2) ? client.open() : nullptr;
        std::vector<std::string> keys(1 + random.below(80));
        std::vector<Change> changes;
        const bool removes = random.one_in(3);
        for (std::string& key : keys) {
          key = "k" + std::string(random.below(120), '0') + std::to_string(random.below(400));
          const std::size_t size = random.below(random.one_in(5) ? bytes.size() : 900);
          changes.push_back({key, removes ? Value() : std::string_view(bytes).substr(0, size)});
        }
        ASSERT_TRUE(client.write(changes));
        // As in another process: with the reader's snapshot, and every page that it keeps.
        const Descriptor data(::open((other.path() / "data.mdb").c_str(), O_RDONLY | O_CLOEXEC));
        std::uint64_t commit = 0;
        for (const off_t offset : {off_t{144}, off_t{page + 144}}) {
          std::uint64_t number = 0;
          ASSERT_EQ(pread(data.number(), &number, sizeof number, offset), 8);
          commit = std::max(commit, number);
        }
        for (const std::uint64_t snapshot : {commit, commit - std::min<std::uint64_t>(commit, 1)}) {
          const auto checked = lmdb::check_pages(data.number(), snapshot);
          ASSERT_TRUE(checked) << checked.error();
          EXPECT_EQ(*checked, lmdb::PageCheckResult::all);
        }
        EXPECT_EQ(lmdb::check_pages(data.number(), commit + 2), lmdb::PageCheckResult::snapshot_gone);
      }
    }
  }
}

TEST_F(LmdbDamage, OfAPageSizeThatOnlyOneMetaPageHas) {
  put<std::uint32_t>(page + 40, 8192);
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
}

TEST_F(LmdbDamage, OfACommitsNumber) {
  const std::string whole = bytes();
  const std::size_t older = page - last_meta_page();
  put(older + 144, number_at(older + 144) + 1000);  // LMDB would take it for the last one, and lose a commit
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
  overwrite(0, whole);
  put(last_meta_page() + 144, number_at(last_meta_page() + 144) + 1);  // LMDB would take the other's trees
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
}

TEST_F(LmdbDamage, OfTheRootThatAMetaPageNames) {
  put(last_meta_page() + 128, first_leaf());
  EXPECT_EQ(error(), damaged_at(first_leaf()));
  put(last_meta_page() + 128, std::uint64_t{1} << 60);
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
}

TEST_F(LmdbDamage, OfTheLastPageThatAMetaPageNames) {
  const std::size_t offset = last_meta_page() + 136;
  const std::uint64_t last = number_at(offset);
  put(offset, last + 1000);  // LMDB would write the next pages far behind the end
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
  put(offset, std::uint64_t{1} << 40);
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
  put<std::uint64_t>(offset, 20);
  EXPECT_NE(error(), "opened");
}

TEST_F(LmdbDamage, OfTheTreesInAMetaPage) {
  put<std::uint16_t>(last_meta_page() + 44, 0x0C);  // several values a key, of the free pages
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
  put<std::uint16_t>(last_meta_page() + 44, 0x08);
  put<std::uint16_t>(last_meta_page() + 92, 0x04);
  EXPECT_EQ(error(), "is another program's LMDB database: name another store");
}

TEST_F(LmdbDamage, OfAFileOfTheOtherByteOrder) {
  overwrite(16, "\xBE\xEF\xC0\xDE");
  EXPECT_EQ(error(), "was written by a machine of the other byte order: migrate it there to another kind of store");
}

TEST_F(LmdbDamage, OfANodeBeyondItsPage) {
  const std::size_t leaf = first_leaf();
  const std::string whole = bytes();
  for (const std::uint16_t offset : std::array<std::uint16_t, 5>{4092, 4095, 16, 0, 65534}) {
    put(leaf * page + 16, offset);
    EXPECT_EQ(error(), damaged_at(leaf)) << offset;
  }
  overwrite(0, whole);
  put<std::uint16_t>(leaf * page + 16, number_at<std::uint16_t>(leaf * page + 18));  // two that are one
  EXPECT_EQ(error(), damaged_at(leaf));
}

TEST_F(LmdbDamage, OfTheSizesInANode) {
  const std::size_t leaf = first_leaf();
  const std::size_t second = node(leaf, 1);
  const std::string whole = bytes();
  for (const std::uint32_t size : {699U, 703U, 100'000U, 0xFFFFFFFFU}) {
    put(second, size);
    EXPECT_EQ(error(), damaged_at(leaf)) << size;
  }
  overwrite(0, whole);
  put<std::uint16_t>(second + 6, 600);
  EXPECT_EQ(error(), damaged_at(leaf));
  overwrite(0, whole);
  put<std::uint16_t>(second + 4, 4);  // several values, which LMDB would read from unmapped memory
  EXPECT_EQ(error(), damaged_at(leaf));
}

TEST_F(LmdbDamage, OfTheKindOfAPage) {
  const std::size_t leaf = first_leaf();
  for (const std::uint16_t kind :
       std::array<std::uint16_t, 5>{0x12, 0x03, 0x22, 0x4002, 0x01}) {  // 0x10: LMDB would write to the map
    put(leaf * page + 10, kind);
    EXPECT_EQ(error(), damaged_at(leaf)) << kind;
  }
}

// As if the disk had written a page at the location of another one.
TEST_F(LmdbDamage, OfThePageNumberInAPage) {
  const std::string whole = bytes();
  const std::size_t leaf = first_leaf();
  put<std::uint64_t>(leaf * page, leaf + 1);
  EXPECT_EQ(error(), damaged_at(leaf));
  overwrite(0, whole);
  const std::size_t large = first_large_value();
  put<std::uint64_t>(large * page, large + 1);
  EXPECT_EQ(error(), damaged_at(large));
  overwrite(0, whole);
  put<std::uint16_t>(large * page + 10, 0x02);  // a leaf
  EXPECT_EQ(error(), damaged_at(large));
}

TEST_F(LmdbDamage, OfALargeValuesPages) {
  const std::size_t leaf = first_leaf();
  const std::size_t first = first_large_value();
  const std::size_t offset = node(leaf, 0) + 8 + 5;
  put(offset, number_at(last_meta_page() + 136));
  EXPECT_EQ(error(), damaged_at(number_at(last_meta_page() + 136))) << "its other pages are behind the last one";
  put(offset, std::uint64_t{1} << 50);
  EXPECT_EQ(error(), damaged_at(std::size_t{1} << 50));
  put(offset, first);
  EXPECT_EQ(error(), "opened");
  put<std::uint32_t>(first * page + 12, 0x40000000);  // if freed, they would be reused
  EXPECT_EQ(error(), damaged_at(first));
  put<std::uint32_t>(first * page + 12, 1);
  EXPECT_EQ(error(), damaged_at(first));
}

TEST_F(LmdbDamage, OfAPageThatIsUsedTwice) {
  const std::size_t root = root_page();
  put(node(root, 1), static_cast<std::uint32_t>(child(root, 0)));
  EXPECT_EQ(error(), damaged_at(child(root, 0)));
  put(node(root, 1), static_cast<std::uint32_t>(root));
  EXPECT_EQ(error(), damaged_at(root)) << "a cycle";
}

TEST_F(LmdbDamage, OfTheOrderOfKeys) {
  const std::size_t leaf = first_leaf();
  const std::string whole = bytes();
  overwrite(node(leaf, 1) + 8, "k.099");
  EXPECT_EQ(error(), damaged_at(leaf));
  overwrite(0, whole);
  overwrite(node(leaf, 0) + 8, "k.101");  // as the second
  EXPECT_EQ(error(), damaged_at(leaf));
  overwrite(0, whole);
  const std::size_t root = root_page();
  overwrite(node(root, 1) + 8, "k.100");  // LMDB would search the second leaf for all keys of the first
  EXPECT_EQ(error(), damaged_at(child(root, 0)));
}

TEST_F(LmdbDamage, OfTheOrderOfKeysInABranch) {
  const std::size_t root = root_page();
  ASSERT_GT(number_at<std::uint16_t>(root * page + 12), 16 + 2 * 2) << "at least three nodes";
  overwrite(node(root, 1) + 8, "k.399");
  EXPECT_EQ(error(), damaged_at(root));
}

// The first write after the opening takes pages from there.
TEST_F(LmdbDamage, OfTheFreePages) {
  const std::size_t list = first_free_pages();
  const std::size_t number = list / page;
  const std::string whole = bytes();
  ASSERT_GE(number_at(list), 2u);
  const std::uint64_t first = number_at(list + 8);
  for (const std::uint64_t count : {std::uint64_t{100'000}, ~std::uint64_t{0}, std::uint64_t{1} << 61}) {
    put(list, count);
    EXPECT_EQ(error(), damaged_at(number)) << count;
  }
  overwrite(0, whole);
  for (const std::uint64_t page_number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 60}) {
    put(list + 8, page_number);
    EXPECT_EQ(error(), damaged_at(number)) << page_number;
  }
  put(list + 8, number_at(list + 16));  // twice
  EXPECT_EQ(error(), damaged_at(number));
  put(list + 8, first);
  EXPECT_EQ(error(), "opened");
  put(list + 8, std::uint64_t{root_page()});  // in use: in the order of the list, or not, it is not free
  EXPECT_NE(error(), "opened");
}

TEST_F(LmdbDamage, OfAnotherProgramsDatabases) {
  const TemporaryFolder other;
  MDB_env* environment = nullptr;
  ASSERT_EQ(mdb_env_create(&environment), 0);
  ASSERT_EQ(mdb_env_set_maxdbs(environment, 2), 0);
  ASSERT_EQ(mdb_env_open(environment, other.path().c_str(), 0, 0600), 0);
  MDB_txn* transaction = nullptr;
  ASSERT_EQ(mdb_txn_begin(environment, nullptr, 0, &transaction), 0);
  MDB_dbi database = 0;
  ASSERT_EQ(mdb_dbi_open(transaction, "named", MDB_CREATE, &database), 0);
  ASSERT_EQ(mdb_txn_commit(transaction), 0);
  mdb_env_close(environment);
  const auto opened = lmdb::Store::open(other.path(), {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(),
            (other.path() / "data.mdb").string() + " is another program's LMDB database: name another store");
}

TEST_F(LmdbDamage, OfAFolderAtTheFilesPath) {
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_EQ(error({.create = true}), "is not a regular file: name another store");
}

}  // namespace
}  // namespace portail
