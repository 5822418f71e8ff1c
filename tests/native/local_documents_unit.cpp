#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "native/keys/local_documents.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail::keys {
namespace {

struct stat stat_of(const std::string& file) {
  struct stat found{};
  EXPECT_EQ(stat(file.c_str(), &found), 0);
  return found;
}

bool is_later(const timespec& a, const timespec& b) {
  return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

// Overwrites the file in place, with a text of the same size, and restores its modification time, as some programs do.
void overwrite(const std::string& file, const std::string& text) {
  const struct stat before = stat_of(file);
  std::ofstream(file, std::ios::in) << text;
  const timespec times[2] = {before.st_atim, before.st_mtim};
  // The kernel's clock for files has ticks of some milliseconds: the change is in a later one.
  do {
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  } while (!is_later(stat_of(file).st_ctim, before.st_ctim));
  const struct stat after = stat_of(file);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_size, before.st_size);
  EXPECT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

TEST(FileDocument, IsReadAgainIfOnlyItsChangeTimeIsNew) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "keys.json";
  std::ofstream(file) << "one";
  FileDocument document(file, "--jwks");
  EXPECT_EQ(document.read({}), "one");
  overwrite(file, "two");
  EXPECT_EQ(document.read({}), "two");
}

}  // namespace
}  // namespace portail::keys
