// Where temporary files are, and what a folder that refuses them is told by.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/base/context.hpp"
#include "native/management/store_management.hpp"
#include "native/system/temporary_file.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

class TemporaryFileTest : public ::testing::Test {
 protected:
  TemporaryFileTest() {
    if (const char* value = std::getenv("TMPDIR")) before_ = value;
    unsetenv("TMPDIR");
    folder_ = (fs::temp_directory_path() / "portail-temporary-XXXXXX").string();
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~TemporaryFileTest() override {
    fs::remove_all(folder_);
    unsetenv("TMPDIR");
    if (!before_.empty()) setenv("TMPDIR", before_.c_str(), 1);
  }

  std::string folder_;

 private:
  std::string before_;
};

TEST_F(TemporaryFileTest, IsInTheFolderOfTheVariable) {
  EXPECT_EQ(temporary_folder(), "/tmp");
  EXPECT_EQ(temporary_folder("/var/lib/portail"), "/var/lib/portail");
  setenv("TMPDIR", "/var/tmp", 1);
  EXPECT_EQ(temporary_folder(), "/var/tmp");
  EXPECT_EQ(temporary_folder("/var/lib/portail"), "/var/tmp");
  setenv("TMPDIR", "", 1);
  EXPECT_EQ(temporary_folder("/var/lib/portail"), "/var/lib/portail");
}

TEST_F(TemporaryFileTest, HasNoName) {
  const auto file = create_temporary_file(folder_);
  ASSERT_TRUE(file);
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(fs::read_symlink("/proc/self/fd/" + std::to_string(file->number())).string().starts_with(folder_));
}

TEST_F(TemporaryFileTest, OfASpoolIsInItsFolder) {
  CollectingLog log;
  FileSpool spool(folder_, log);
  ASSERT_TRUE(spool.append("a"));
  ASSERT_TRUE(spool.append("b"));
  ASSERT_TRUE(spool.rewind());
  const auto bytes = spool.next();
  ASSERT_TRUE(bytes && *bytes);
  EXPECT_EQ(**bytes, "ab");
}

TEST_F(TemporaryFileTest, NamesAFolderThatRefusesIt) {
  const std::string missing = folder_ + "/missing";
  const std::string remedy = "; set TMPDIR to one that this user may write to, with enough space";
  EXPECT_EQ(create_temporary_file(missing).error(),
            "cannot write to the folder " + missing + ": No such file or directory" + remedy);
  CollectingLog log;
  FileSpool spool(missing, log);
  EXPECT_EQ(spool.append("a").error(), Failure::unavailable);
  EXPECT_EQ(log.lines,
            std::vector<std::string>{"the temporary file of a management request cannot be used: cannot write to the "
                                     "folder " +
                                     missing + ": No such file or directory" + remedy});
}

}  // namespace
}  // namespace portail
