// Opening files beneath a directory that changes concurrently, by openat2 and by the fallback.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "native/system/open_beneath.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

using Open = std::expected<Descriptor, int> (*)(int, std::string_view);

void write_file(const fs::path& file, std::string_view text) { std::ofstream(file) << text; }

std::string content(const Descriptor& file) {
  std::array<char, 64> bytes{};
  const ssize_t count = read(file.number(), bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(count < 0 ? 0 : count)};
}

// inside/ is the directory; files outside it must not be reached.
class OpenBeneath : public testing::TestWithParam<Open> {
 protected:
  OpenBeneath() {
    fs::create_directories(inside_ / "folder");
    fs::create_directories(outside_);
    write_file(inside_ / "top.pdf", "top");
    write_file(inside_ / "folder/a.pdf", "inside");
    write_file(outside_ / "a.pdf", "outside");
    folder_ = Descriptor(open(inside_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  // Returns the content, or the errno as text.
  [[nodiscard]] std::string opened(std::string_view path) const {
    const auto file = GetParam()(folder_.number(), path);
    return file ? content(*file) : "errno " + std::to_string(file.error());
  }
  static std::string refused(int code) { return "errno " + std::to_string(code); }

  TemporaryFolder scratch_;
  fs::path inside_ = scratch_.path() / "inside";
  fs::path outside_ = scratch_.path() / "outside";
  Descriptor folder_{-1};
};

INSTANTIATE_TEST_SUITE_P(Ways, OpenBeneath, testing::Values(&open_beneath, &walk_beneath),
                         [](const auto& way) { return std::string(way.index == 0 ? "by_the_system" : "by_walking"); });

TEST_P(OpenBeneath, FilesOfTheFolder) {
  EXPECT_EQ(opened("top.pdf"), "top");
  EXPECT_EQ(opened("folder/a.pdf"), "inside");
  EXPECT_EQ(opened("missing.pdf"), refused(ENOENT));
  EXPECT_EQ(opened("missing/a.pdf"), refused(ENOENT));
  EXPECT_EQ(opened("top.pdf/a.pdf"), refused(ENOTDIR));
}

TEST_P(OpenBeneath, PathsThatLeadOut) {
  EXPECT_EQ(opened("../outside/a.pdf"), refused(EXDEV));
  EXPECT_EQ(opened("folder/../../outside/a.pdf"), refused(EXDEV));
  EXPECT_EQ(opened((outside_ / "a.pdf").string()), refused(EXDEV));
}

TEST_P(OpenBeneath, LinksThatStayAndLinksThatLeadOut) {
  fs::create_symlink("folder/a.pdf", inside_ / "file-link.pdf");
  fs::create_symlink("folder", inside_ / "folder-link");
  fs::create_symlink("../folder-link/../top.pdf", inside_ / "folder/back.pdf");
  EXPECT_EQ(opened("file-link.pdf"), "inside");
  EXPECT_EQ(opened("folder-link/a.pdf"), "inside");
  EXPECT_EQ(opened("folder/back.pdf"), "top");

  fs::create_symlink("../outside/a.pdf", inside_ / "out.pdf");
  fs::create_symlink(outside_ / "a.pdf", inside_ / "absolute.pdf");
  fs::create_symlink("../outside", inside_ / "out");
  fs::create_symlink("folder/../../outside/a.pdf", inside_ / "round.pdf");
  fs::create_symlink("../inside/top.pdf", inside_ / "out-and-in.pdf");
  for (const char* path : {"out.pdf", "absolute.pdf", "out/a.pdf", "round.pdf", "out-and-in.pdf"}) {
    EXPECT_EQ(opened(path), refused(EXDEV)) << path;
  }

  fs::create_symlink("ring.pdf", inside_ / "ring.pdf");
  EXPECT_EQ(opened("ring.pdf"), refused(ELOOP));
}

TEST_P(OpenBeneath, NeverBlocks) {
  ASSERT_EQ(mkfifo((inside_ / "pipe").c_str(), 0600), 0);
  const auto pipe = GetParam()(folder_.number(), "pipe");
  ASSERT_TRUE(pipe);
  struct stat status{};
  ASSERT_EQ(fstat(pipe->number(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));

  const Descriptor devices(open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto device = GetParam()(devices.number(), "null");
  ASSERT_TRUE(device);
  ASSERT_EQ(fstat(device->number(), &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

// A file inside is opened or the call fails, whenever the directory is replaced; never a file outside.
TEST_P(OpenBeneath, ADirectoryIsReplacedByALinkConcurrently) {
  fs::create_symlink("../outside", inside_ / "link");
  constexpr int openings = 20'000;
  std::atomic<bool> done = false;
  std::thread exchanger([&] {
    while (!done) {
      renameat2(folder_.number(), "folder", folder_.number(), "link", RENAME_EXCHANGE);
      std::this_thread::yield();
    }
  });
  int inside = 0;
  int refused = 0;
  int other = 0;
  // Repeats until both outcomes have occurred, whatever the scheduling.
  for (int i = 0; i < openings || (i < 100 * openings && (inside == 0 || refused == 0)); ++i) {
    const auto file = GetParam()(folder_.number(), "folder/a.pdf");
    if (file && content(*file) == "inside") {
      ++inside;
    } else if (!file) {
      ++refused;
    } else {
      ++other;
    }
  }
  done = true;
  exchanger.join();
  EXPECT_EQ(other, 0);
  EXPECT_GT(inside, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace portail
