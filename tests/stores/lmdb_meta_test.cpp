// Files that are not a store, or whose meta pages are damaged: reported at startup, in one line, and not changed.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <lmdb.h>

#include "native/stores/lmdb/lmdb_store.hpp"
#include "tests/stores/lmdb_damage_test.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

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
