#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/keys/key_documents.hpp"
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

// Detects openings of a file.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& file) {
    EXPECT_GE(inotify_add_watch(notifications_.number(), file.c_str(), IN_OPEN), 0);
  }
  // Returns whether the file was opened since the last call.
  bool was_opened() {
    char events[4096];
    return read(notifications_.number(), events, sizeof events) > 0;
  }

 private:
  Descriptor notifications_{inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
};

TEST(FileDocument, IsNotOpenedAgainWhileItIsUnchanged) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "keys.json";
  std::ofstream(file) << "one";
  OpenWatch watch(file);
  FileDocument document(file, "--jwks");
  EXPECT_EQ(document.read({}), "one");
  EXPECT_TRUE(watch.was_opened());
  EXPECT_EQ(document.read({}), "one");
  EXPECT_FALSE(watch.was_opened());
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

// A device can be read once only, and so can a FIFO, whose opening would also wait for a writer.
TEST(FileDocument, IsNotReadAgainAfterItIsReplacedByADevice) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "keys.json";
  std::ofstream(file) << "one";
  FileDocument document(file, "--jwks");
  EXPECT_EQ(document.read({}), "one");
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/dev/null", file);
  EXPECT_EQ(document.read({}), "one");
}

}  // namespace
}  // namespace portail::keys
