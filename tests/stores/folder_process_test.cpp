// Several processes and components on one folder, writers that are killed or suspended, and the system calls of a write
// in their order.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/storage/folder/folder_store.hpp"
#include "core/storage/folder/revision.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/process.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

using namespace std::chrono_literals;
using Line = std::vector<std::string>;

class FolderProcesses : public testing::Test {
 protected:
  [[nodiscard]] Line helper(std::string command, const Line& arguments) const {
    Line line = {PORTAIL_FOLDER_HELPER, std::move(command), folder.path().string()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
  }
  // Runs the same program as a component in wasmtime, with the folder mounted as /store.
  [[nodiscard]] Line component(std::string command, const Line& arguments) const {
    Line line = {PORTAIL_WASMTIME,   "run",   "--dir", folder.path().string() + "::/store", PORTAIL_WASM_FOLDER_HELPER,
                 std::move(command), "/store"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
  }
  [[nodiscard]] std::unique_ptr<FolderStore> open() const {
    auto store = FolderStore::open(folder.path().string(), {.lease_timeout = 500ms});
    EXPECT_TRUE(store) << store.error();
    return std::move(*store);
  }
  [[nodiscard]] std::string get(std::string_view key) const { return StoreClient(*open()).get(key).value_or("absent"); }

  TemporaryFolder folder;
};

TEST_F(FolderProcesses, LoseNoRacingSwap) {
  std::vector<std::unique_ptr<Process>> racers;
  for (int i = 0; i < 4; ++i) racers.push_back(std::make_unique<Process>(helper("count", {"count", "50"})));
  for (auto& racer : racers) EXPECT_EQ(racer->wait(), 0);
  EXPECT_EQ(get("count"), "200");
}

TEST_F(FolderProcesses, LoseNoSwapToAComponent) {
  if (!std::filesystem::exists(PORTAIL_WASMTIME) || !std::filesystem::exists(PORTAIL_WASM_FOLDER_HELPER)) {
    GTEST_SKIP() << "the preset wasi is not built";
  }
  std::vector<std::unique_ptr<Process>> racers;
  for (int i = 0; i < 2; ++i) {
    racers.push_back(std::make_unique<Process>(helper("count", {"count", "50"})));
    racers.push_back(std::make_unique<Process>(component("count", {"count", "50"})));
  }
  for (auto& racer : racers) EXPECT_EQ(racer->wait(), 0);
  EXPECT_EQ(get("count"), "200");
}

TEST_F(FolderProcesses, ThatDieWhileWritingLoseNothingAndBlockNoOther) {
  int total = 0;
  for (int round = 0; round < 12; ++round) {
    Process one(helper("ledger", {"one", ""}));
    Process two(helper("ledger", {"two", ""}));
    std::string last_one;
    std::string last_two;
    for (int lines = 0; lines < 1 + round % 3; ++lines) {
      last_one = one.line();
      last_two = two.line();
    }
    total += std::stoi(last_one) + std::stoi(last_two);
    one.kill_and_wait();
    two.kill_and_wait();
    auto store = open();
    StoreClient client(*store);
    EXPECT_GE(std::stoi(client.get("one").value()), std::stoi(last_one)) << "acknowledged writes are present";
    EXPECT_GE(std::stoi(client.get("two").value()), std::stoi(last_two));
    const int counted = std::stoi(client.get("total").value());
    EXPECT_GE(counted, total);
    EXPECT_EQ(client.get("large"), std::string(20'000, 'v'));
    EXPECT_EQ(client.swap("total", std::to_string(counted), std::to_string(counted)), true);
    total = counted;
  }
}

// The holder is suspended for longer than the lease timeout: its write is rejected.
TEST_F(FolderProcesses, ThatWereSuspendedPastTheirLeaseCannotWrite) {
  auto store = open();
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "1"));
  Process sleeper(helper("hold", {"k", "the sleeper's"}));
  ASSERT_EQ(sleeper.line(), "holding");
  EXPECT_EQ(client.swap("k", "1", "2"), true);
  sleeper.write_line("wake up");
  EXPECT_EQ(sleeper.line(), "this writer was suspended for too long and lost its lease");
  EXPECT_EQ(sleeper.wait(), 0);
  EXPECT_EQ(client.get("k"), "2");
  EXPECT_EQ(client.swap("k", "2", "3"), true);
}

TEST_F(FolderProcesses, ThatHoldTheLeaseAreWaitedFor) {
  Process holder(helper("hold", {"k", "the holder's"}));
  ASSERT_EQ(holder.line(), "holding");
  Process waiter(helper("put", {"k", "the waiter's"}));
  holder.write_line("go on");
  EXPECT_EQ(holder.line(), "written");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(waiter.line(), "written");
  EXPECT_EQ(get("k"), "the waiter's");
}

// A step is a system call that changes the folder. A reader with cached values answers what is stored after each, and
// after the next write it uses its cache again.
TEST_F(FolderProcesses, ThatAreKilledBeforeAnyStepLeaveReadersRightAndTheNextWriteMakesThemFast) {
  auto store = FolderStore::open(folder.path().string(), {.lease_timeout = 20ms});
  ASSERT_TRUE(store) << store.error();
  StoreClient client(**store);
  const auto stored = [this] {
    std::ifstream file(folder.path() / "k");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto put_under = [this](const Line& options) {
    Line command = {"strace", "-E", "ASAN_OPTIONS=detect_leaks=0", "-o", "/dev/null"};
    command.insert(command.end(), options.begin(), options.end());
    const auto line = helper("put", {"k", "new"});
    command.insert(command.end(), line.begin(), line.end());
    Process process(command);
    const bool written = process.line() == "written";
    return (process.wait() == 0) && written;
  };
  ASSERT_TRUE(client.put("k", "old"));
  if (!put_under({})) GTEST_SKIP() << "strace is missing, or may not trace here";

  // strace counts each system call of its own.
  int kills = 0;
  for (const std::string call : {"mkdirat", "renameat", "renameat2", "ftruncate", "fsync", "unlinkat"}) {
    for (int number = 1; number < 100; ++number, ++kills) {
      ASSERT_TRUE(client.put("k", "old"));
      ASSERT_EQ(client.get("k"), "old");
      if (put_under({"-e", "inject=" + call + ":signal=KILL:when=" + std::to_string(number)})) break;
      SCOPED_TRACE("killed at " + call + " " + std::to_string(number));
      EXPECT_EQ(client.get("k"), stored());
      ASSERT_TRUE(client.put("other", std::to_string(kills)));
      EXPECT_EQ(client.get("k"), stored());
      std::ofstream(folder.path() / "k") << "by hand";
      EXPECT_NE(client.get("k"), "by hand") << "it is cached";
    }
  }
  // Two folders; the renames of the lease, the two revisions, the change and the release; two sizes; two syncs; and the
  // removal of the file and the folder.
  EXPECT_GE(kills, 12);
}

// Several stores over one folder are as several processes: each has a cache of its own.
TEST(FolderStores, ReturnNoValueThatIsOlderThanTheRead) {
  constexpr int writers = 2;
  constexpr int readers = 100;
  constexpr int writes = 5000;  // of each writer
  const bool has_memory = std::filesystem::is_directory("/dev/shm");
  const TemporaryFolder folder(has_memory ? "/dev/shm" : std::filesystem::temp_directory_path());
  const auto open = [&folder] { return FolderStore::open(folder.path().string(), {}); };
  std::array<std::atomic<int>, writers> started{};
  std::array<std::atomic<int>, writers> written{};
  std::atomic<int> running = writers;
  std::atomic<int> wrong = 0;
  std::atomic<int> reads = 0;
  std::array<std::expected<std::unique_ptr<FolderStore>, std::string>, 4> stores{open(), open(), open(), open()};
  for (const auto& store : stores) ASSERT_TRUE(store) << store.error();
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&, writer] {
        StoreClient client(**stores[static_cast<std::size_t>(writer)]);
        for (int i = 1; i <= writes; ++i) {
          started[static_cast<std::size_t>(writer)] = i;
          if (!client.put(std::to_string(writer), std::to_string(i))) ++wrong;
          written[static_cast<std::size_t>(writer)] = i;
        }
        --running;
      });
    }
    for (int reader = 0; reader < readers; ++reader) {
      threads.emplace_back([&, reader] {
        StoreClient client(**stores[static_cast<std::size_t>(reader) % stores.size()]);
        const auto writer = static_cast<std::size_t>(reader % writers);
        for (; running > 0; ++reads) {
          const int oldest = written[writer];
          const int found = std::stoi(client.get(std::to_string(writer)).value_or("0"));
          if (found < oldest || found > started[writer]) ++wrong;
          std::this_thread::yield();
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(reads, writes);
  EXPECT_EQ(stat_revision((*stores[0])->folder())->value_or(Revision{}).size, 2u * writers * writes);
}

// As on a full disk: the file cannot grow to its size.
TEST_F(FolderProcesses, LoseNothingIfAFileCannotBeWritten) {
  auto store = open();
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "kept"));
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limited = before;
  limited.rlim_cur = 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  const std::string large(200'000, 'v');
  const auto written = client.write({{"first", "new"}, {"k", large}});
  const auto swapped = client.swap("k", "kept", large);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(written, std::unexpected(Failure::unavailable));
  EXPECT_EQ(swapped, std::unexpected(Failure::unavailable));
  EXPECT_EQ(client.scan(""), Line{"k=kept"});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "first"));
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "~writers")) {
    left.push_back(entry.path().filename().string());
  }
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"holder", "lease"})) << "no other files are left";
  EXPECT_TRUE(client.put("k", large));
}

TEST_F(FolderProcesses, ReportMissingWritePermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto store = FolderStore::open(folder.path().string(), {.create = true});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error(), folder.path().string() + " must be readable and writable for this user: Permission denied");
  EXPECT_EQ(StoreClient(*open()).put("k", "v"), std::unexpected(Failure::unavailable));
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

// Returns the names of the system calls of a write, in the order of the trace.
Line order_of_calls(const std::filesystem::path& file) {
  Line order;
  std::ifstream trace(file);
  for (std::string line; std::getline(trace, line);) {
    const bool failed = line.contains(" = -1 ");
    if (line.starts_with("write(1,") && line.contains("written")) {
      order.emplace_back("success");
    } else if (line.starts_with("write(") && line.contains("\"new\"")) {
      order.emplace_back("bytes");
    } else if (line.starts_with("fsync(") && !failed) {
      order.emplace_back("sync");
    } else if (line.starts_with("renameat") && line.ends_with(", \"k\") = 0")) {
      order.emplace_back("name");
    }
  }
  return order;
}

TEST_F(FolderProcesses, AcknowledgeAWriteAfterTheSyncReturned) {
  const auto trace = folder.path() / "trace";
  // A leak checker cannot work in a traced process.
  Line command = {"strace",       "-E", "ASAN_OPTIONS=detect_leaks=0",         "-o",
                  trace.string(), "-e", "trace=write,fsync,renameat,renameat2"};
  const auto line = helper("put", {"k", "new"});
  command.insert(command.end(), line.begin(), line.end());
  Process traced(command);
  if (traced.line() != "written") {
    traced.wait();
    GTEST_SKIP() << "strace is missing, or may not trace here";
  }
  ASSERT_EQ(traced.wait(), 0);
  EXPECT_EQ(order_of_calls(trace), (Line{"bytes", "sync", "name", "sync", "success"}));
}

}  // namespace
}  // namespace portail
