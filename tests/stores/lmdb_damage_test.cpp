// Files that are no store, or no longer one: told at start, in one line, and left as they are.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/lmdb/lmdb_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

constexpr std::size_t page = 4096;

class LmdbDamage : public testing::Test {
 protected:
  // A store of a few hundred pages: a tree of two levels, and large values.
  void SetUp() override {
    auto store = LmdbStore::open(folder.path(), {.create = true});
    ASSERT_TRUE(store) << store.error();
    StoreClient client(**store);
    std::vector<std::string> keys;
    for (int i = 100; i < 400; ++i) keys.push_back("k." + std::to_string(i));
    // Three times, so that there are free pages too.
    for (const char* letter : {"u", "v", "w"}) {
      const std::string large(20'000, *letter);
      std::vector<Change> changes;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        changes.push_back({keys[i], std::string_view(large).substr(0, i % 10 == 0 ? 20'000 : 700)});
      }
      ASSERT_TRUE(client.write(changes));
    }
  }

  // The line without the path that it begins with; "opened" if nothing was found.
  [[nodiscard]] std::string error(const LmdbOptions& options = {}) const {
    auto store = LmdbStore::open(folder.path(), options);
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
  [[nodiscard]] std::uint64_t number_at(std::size_t offset) const {
    std::uint64_t value = 0;
    bytes().copy(reinterpret_cast<char*>(&value), sizeof value, offset);
    return value;
  }
  // Where the meta page of the last commit begins; the other one has that of the commit before.
  [[nodiscard]] std::size_t last_meta_page() const { return number_at(144) > number_at(page + 144) ? 0 : page; }
  // The number of the data tree's first page, as of the last commit.
  [[nodiscard]] std::size_t root_page() const { return number_at(last_meta_page() + 128); }

  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "data.mdb";
};

TEST_F(LmdbDamage, IsNotSeenInAWholeFile) {
  EXPECT_EQ(error(), "opened");
  EXPECT_EQ(error({.check_every_page = true}), "opened");
}

TEST_F(LmdbDamage, OfAnEmptyFile) {
  std::filesystem::resize_file(file, 0);
  EXPECT_EQ(error(), "is empty: restore it from a backup, or remove it to begin anew");
  EXPECT_EQ(error({.create = true}), "is empty: restore it from a backup, or remove it to begin anew");
  EXPECT_EQ(std::filesystem::file_size(file), 0u) << "left as it is";
}

TEST_F(LmdbDamage, OfAnotherKindOfFile) {
  std::ofstream(file, std::ios::trunc) << std::string(100'000, 'x');
  EXPECT_EQ(error({.create = true}), "is no LMDB file, or its first pages are damaged: restore it from a backup");
  EXPECT_EQ(bytes(), std::string(100'000, 'x')) << "left as it is";
}

TEST_F(LmdbDamage, OfAShortText) {
  std::ofstream(file, std::ios::trunc) << "hello";
  EXPECT_EQ(error({.create = true}), "is no LMDB file, or is cut off at its beginning: restore it from a backup");
}

TEST_F(LmdbDamage, OfTheFirstOrSecondMetaPage) {
  overwrite(page, std::string(page, '\0'));
  EXPECT_EQ(error(), "is no LMDB file, or its first pages are damaged: restore it from a backup");
  overwrite(0, std::string(page, '\0'));
  EXPECT_EQ(error(), "is no LMDB file, or its first pages are damaged: restore it from a backup");
}

TEST_F(LmdbDamage, OfAPageSizeThatIsNone) {
  overwrite(40, std::string_view("\x01\x02\x03\x04", 4));
  EXPECT_EQ(error(), "is damaged in its first pages: restore it from a backup");
}

// Where the disk refuses a meta page, LMDB puts back a part of what was there, with the new trees: the commit before is
// whole.
TEST_F(LmdbDamage, IsNotSeenInAMetaPageThatCouldNotBeWritten) {
  constexpr std::string_view one_page("\x01\0\0\0\0\0\0\0", 8);  // of the file, as the last one in use
  overwrite(page - last_meta_page() + 136, one_page);
  EXPECT_EQ(error({.check_every_page = true}), "opened");
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
    // Pages that no commit uses may be missing; what is opened must then be whole.
    if (line == "opened") {
      auto store = LmdbStore::open(folder.path(), {});
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
  EXPECT_EQ(error(), "is no LMDB file, or is cut off at its beginning: restore it from a backup");
}

// LMDB does not write a page that it took and gave back within one transaction: the file may then be shorter than its
// meta page says, and yet be whole.
TEST_F(LmdbDamage, IsNotSeenWhereOnlyFreePagesAreMissing) {
  TemporaryFolder other;
  {
    auto store = LmdbStore::open(other.path(), {.create = true});
    ASSERT_TRUE(store);
    StoreClient client(**store);
    // A few commits first: from then on LMDB has free pages at hand, and takes the large value's 65 back among them.
    for (const char* value : {"1", "2", "3", "4", "5"}) ASSERT_TRUE(client.put("a", value));
    const std::string large(262'144, 'v');
    ASSERT_TRUE(client.write({{"a", "1"}, {"z", large}, {"z", std::nullopt}}));
  }
  EXPECT_LT(std::filesystem::file_size(other.path() / "data.mdb"), 64 * page) << "the case is not what it says";
  auto store = LmdbStore::open(other.path(), {});
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(StoreClient(**store).scan(""), std::vector<std::string>{"a=1"});
}

TEST_F(LmdbDamage, OfTheRootOfTheTree) {
  const std::size_t root = root_page();
  ASSERT_GE(root, 2u);
  overwrite(root * page, std::string(page, '\xFF'));
  EXPECT_EQ(error(), "is damaged at page " + std::to_string(root) + ": restore it from a backup");
}

TEST_F(LmdbDamage, OfALeafIsSeenWhenEveryPageIsLookedAt) {
  const std::string all = bytes();
  std::size_t leaf = 0;
  std::string line = "opened";
  // Pages of old versions lie between; the first damaged leaf that is in use is told.
  for (leaf = 2; leaf < all.size() / page && line == "opened"; ++leaf) {
    if (all[leaf * page + 10] != 2) continue;
    overwrite(leaf * page, std::string(page, '\0'));
    line = error({.check_every_page = true});
    if (line != "opened") break;
  }
  EXPECT_EQ(line, "is damaged at page " + std::to_string(leaf) + ": restore it from a backup");
}

TEST_F(LmdbDamage, OfAFolderInTheFilesPlace) {
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_EQ(error({.create = true}), "is not a regular file: name another store");
}

}  // namespace
}  // namespace portail
