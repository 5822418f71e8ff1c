// An LMDB store whose file is damaged by tests, and the offsets of what is in it. One thread.
#pragma once

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

class LmdbDamage : public testing::Test {
 protected:
  static constexpr std::size_t page = 4096;

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
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(offset));
    in.read(reinterpret_cast<char*>(&value), sizeof value);
    EXPECT_TRUE(in) << "the file ends before " << offset;
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
  // Returns the first leaf below the page, or the page itself.
  [[nodiscard]] std::size_t first_leaf_below(std::size_t number) const {
    while (number_at<std::uint16_t>(number * page + 10) == 1) number = child(number, 0);
    return number;
  }
  // Returns the data tree's first leaf, whose first key, k.100, has a large value.
  [[nodiscard]] std::size_t first_leaf() const { return first_leaf_below(root_page()); }
  [[nodiscard]] std::size_t first_large_value() const { return number_at(node(first_leaf(), 0) + 8 + 5); }
  // Returns the offset of the first list of free pages: their count, and their numbers.
  [[nodiscard]] std::size_t first_free_pages() const {
    const std::size_t first = node(first_leaf_below(number_at(last_meta_page() + 80)), 0);
    const bool is_big = number_at<std::uint16_t>(first + 4) == 1;
    return is_big ? number_at(first + 16) * page + 16 : first + 16;
  }
  static std::string damaged_at(std::size_t number) {
    return "is damaged at page " + std::to_string(number) + ": restore it from a backup";
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "data.mdb";
};

}  // namespace portail
