// Damaged pages of a store's file: reported at startup, in one line. Intact files are never reported.
#include "native/stores/lmdb/lmdb_pages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/lmdb_damage_test.hpp"
#include "tests/stores/temporary_folder.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail {
namespace {

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

}  // namespace
}  // namespace portail
