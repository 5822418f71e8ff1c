// Several processes on one store, processes that are killed, and the system calls of a write in their order.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/process.hpp"
#include "tests/stores/temporary_folder.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

class LmdbProcesses : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> helper(std::string command, std::vector<std::string> arguments = {}) const {
    std::vector<std::string> line = {PORTAIL_LMDB_HELPER, std::move(command), folder.path().string()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
  }
  [[nodiscard]] std::unique_ptr<lmdb::Store> open(std::size_t map_size = lmdb::Options{}.map_size) const {
    auto store = lmdb::Store::open(folder.path(), {.create = true, .map_size = map_size});
    EXPECT_TRUE(store) << store.error();
    return std::move(*store);
  }
  // The command as process 1 of a process namespace of its own, as the main process of a container.
  [[nodiscard]] static std::vector<std::string> contained(const std::vector<std::string>& command) {
    std::vector<std::string> line = {"unshare", "--pid", "--fork", "--kill-child"};
    if (geteuid() != 0) line.insert(line.end(), {"--user", "--map-root-user"});
    line.insert(line.end(), command.begin(), command.end());
    return line;
  }
  // Returns the id of a process that was killed while it had so many sessions.
  [[nodiscard]] pid_t kill_reader(int sessions = 1) const {
    Process reader(helper("hold", {std::to_string(sessions)}));
    EXPECT_EQ(reader.line(), "holding");
    const pid_t id = reader.id();
    reader.kill_and_wait();
    return id;
  }
  // Returns the number of slots that the process has in the table of readers.
  [[nodiscard]] int count_slots(pid_t process) const {
    Process list(helper("readers"));
    int count = 0;
    for (std::string line = list.line(); !line.empty(); line = list.line()) {
      pid_t id = 0;
      if (std::istringstream(line) >> id && id == process) ++count;
    }
    EXPECT_EQ(list.wait(), 0);
    return count;
  }

  TemporaryFolder folder;
};

TEST_F(LmdbProcesses, SeeOneAnothersWrites) {
  auto store = open();
  StoreClient client(*store);
  auto before = client.open();
  Process writer(helper("put", {"k", "from the other"}));
  EXPECT_EQ(writer.line(), "written");
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(client.get("k"), "from the other");
  EXPECT_EQ(client.get(*before, "k"), std::nullopt) << "a snapshot holds against other processes too";
  ASSERT_TRUE(client.put("k", "from this one"));
  Process reader(helper("get", {"k"}));
  EXPECT_EQ(reader.line(), "from this one");
}

TEST_F(LmdbProcesses, LoseNoRacingSwap) {
  auto store = open();
  {
    Process one(helper("count", {"count", "100"}));
    Process two(helper("count", {"count", "100"}));
    EXPECT_EQ(one.wait(), 0);
    EXPECT_EQ(two.wait(), 0);
  }
  EXPECT_EQ(StoreClient(*store).get("count"), "200");
}

TEST_F(LmdbProcesses, MayCreateAStoreConcurrently) {
  std::vector<std::unique_ptr<Process>> makers;
  for (int i = 0; i < 4; ++i) makers.push_back(std::make_unique<Process>(helper("count", {"count", "10"})));
  for (auto& maker : makers) EXPECT_EQ(maker->wait(), 0);
  EXPECT_EQ(StoreClient(*open()).get("count"), "40");
}

TEST_F(LmdbProcesses, MayCloseAStoreWhileAnotherOpensIt) {
  std::vector<std::unique_ptr<Process>> others;
  for (int i = 0; i < 8; ++i) others.push_back(std::make_unique<Process>(helper("reopen", {"500"})));
  for (auto& other : others) EXPECT_EQ(other->line(), "");
}

// Each opening checks all pages in use, as of a commit that the writer continues from.
TEST_F(LmdbProcesses, OpenAStoreThatAnotherWritesTo) {
  ASSERT_TRUE(StoreClient(*open()).put("k", "0"));
  Process writer(helper("ledger"));
  const int before = std::stoi(writer.line());
  for (int i = 0; i < 200; ++i) {
    const auto store = lmdb::Store::open(folder.path(), {.read_only = true});
    ASSERT_TRUE(store) << store.error();
  }
  int after = before;
  while (after < before + 200) after = std::stoi(writer.line());
  const auto store = lmdb::Store::open(folder.path(), {});
  ASSERT_TRUE(store) << store.error();
  EXPECT_GE(std::stoi(StoreClient(**store).get("k").value()), after);
}

// The slot of a killed reader would prevent the reuse of all later pages, and the small map would soon be full.
TEST_F(LmdbProcesses, ThatDiedWhileReadingHoldNoSpace) {
  const std::string large(262'144, 'v');
  auto store = open(4 << 20);
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", large));
  Process reader(helper("hold", {"1"}));
  ASSERT_EQ(reader.line(), "holding");
  int written = 0;
  while (written < 100 && client.put("k", large)) ++written;
  EXPECT_LT(written, 100) << "the living reader's snapshot is kept";
  reader.kill_and_wait();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.put("k", large)) << i;
}

TEST_F(LmdbProcesses, ClearTheSlotOfADeadReaderWhenTheyOpenTheStore) {
  const auto store = open();  // if no process has the store open, LMDB itself empties the table
  ASSERT_TRUE(StoreClient(*store).put("k", "v"));
  const pid_t dead = kill_reader();
  EXPECT_EQ(count_slots(dead), 1);
  Process opened(helper("get", {"k"}));
  EXPECT_EQ(opened.line(), "v");
  EXPECT_EQ(opened.wait(), 0);
  EXPECT_EQ(count_slots(dead), 0);
}

TEST_F(LmdbProcesses, ClearTheSlotOfADeadReaderInOneWriteAMinute) {
  const auto store = open();
  TestContext test;
  const Change change{.key = "k", .value = "v"};
  const auto write = [&] { return run_ready(store->write(test.context, std::span(&change, 1))).has_value(); };
  ASSERT_TRUE(write());
  const pid_t dead = kill_reader();
  test.clock.advance_seconds(59);
  ASSERT_TRUE(write());
  EXPECT_EQ(count_slots(dead), 1);
  test.clock.advance_seconds(1);
  ASSERT_TRUE(write());
  EXPECT_EQ(count_slots(dead), 0);
}

TEST_F(LmdbProcesses, ClearTheSlotsOfADeadReaderWhenTheTableIsFull) {
  const auto store = open();
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "v"));
  Process reader(helper("hold", {"16384"}));  // as many as the table has
  ASSERT_EQ(reader.line(), "holding");
  EXPECT_FALSE(client.open()) << "a slot of a living reader is kept";
  const pid_t dead = reader.id();
  reader.kill_and_wait();
  EXPECT_EQ(count_slots(dead), 16384);
  const auto session = client.open();
  ASSERT_TRUE(session);
  EXPECT_EQ(client.get(*session, "k"), "v");
  EXPECT_EQ(count_slots(dead), 0);
}

TEST_F(LmdbProcesses, ThatDieWhileWritingLoseNothingThatWasAcknowledged) {
  for (int round = 0; round < 10; ++round) {
    int acknowledged = 0;
    {
      Process writer(helper("ledger"));
      for (int lines = 0; lines < 5 + round; ++lines) acknowledged = std::stoi(writer.line());
      writer.kill_and_wait();
    }
    auto store = lmdb::Store::open(folder.path(), {});
    ASSERT_TRUE(store) << store.error();
    StoreClient client(**store);
    const std::string number = client.get("k").value();
    EXPECT_GE(std::stoi(number), acknowledged);
    EXPECT_EQ(client.get("large"), std::string(20'000, static_cast<char>('a' + std::stoi(number) % 26)) + number);
  }
}

TEST_F(LmdbProcesses, OfTwoContainersNeedDistinctProcessIds) {
  const auto store = open();
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "v"));
  if (Process(contained({"true"})).wait() != 0) GTEST_SKIP() << "no namespaces of one's own can be made here";
  Process first(contained(helper("hold", {"1"})));
  ASSERT_EQ(first.line(), "holding");
  Process second(contained(helper("get", {"k"})));
  EXPECT_EQ(second.line(), folder.path().string() +
                               " cannot be opened as an LMDB store: a process in another process namespace, such as a "
                               "container's, has the same process id, 1: run this one in that container (podman exec, "
                               "docker exec), share its process namespace (--pid=container:NAME, "
                               "shareProcessNamespace), or stop the other one first (Kubernetes: strategy Recreate)");
  EXPECT_EQ(second.wait(), 1);
  EXPECT_EQ(count_slots(1), 1) << "the refused process clears no slot of the other";
  // A process with another id sees that the first one lives.
  Process third(helper("put", {"k", "new"}));
  EXPECT_EQ(third.line(), "written");
  EXPECT_EQ(third.wait(), 0);
  EXPECT_EQ(count_slots(1), 1);
  first.kill_and_wait();
  EXPECT_EQ(first.line(), "") << "its child has ended, too";
  Process fourth(contained(helper("get", {"k"})));
  EXPECT_EQ(fourth.line(), "new");
}

TEST_F(LmdbProcesses, ImportOneAtATime) {
  Process importer(helper("import"));
  ASSERT_EQ(importer.line(), "importing");
  const auto refused = acquire_folder_import_lock(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "another import is running on " + folder.path().string() + ": wait until it ends");
  EXPECT_TRUE(StoreClient(*open()).put("k", "v")) << "the lock does not block writes";
  importer.kill_and_wait();
  EXPECT_TRUE(acquire_folder_import_lock(folder.path())) << "a dead importer holds nothing";
}

TEST_F(LmdbProcesses, LoseTheImportLockWithItsFile) {
  const auto lock = acquire_folder_import_lock(folder.path());
  ASSERT_TRUE(lock) << lock.error();
  EXPECT_TRUE(holds_folder_import_lock(*lock));
  ASSERT_TRUE(std::filesystem::remove(folder.path() / "import.lock"));
  EXPECT_FALSE(holds_folder_import_lock(*lock));
  const auto another = acquire_folder_import_lock(folder.path());
  ASSERT_TRUE(another) << another.error();
  EXPECT_FALSE(holds_folder_import_lock(*lock));
  EXPECT_TRUE(holds_folder_import_lock(*another));
}

// One system call in the output of strace: `openat(AT_FDCWD, "/…/data.mdb", O_RDWR|O_CREAT, 0600) = 4`.
struct Call {
  std::string name;
  std::string descriptor;  // the first argument
  std::string text;
};

std::vector<Call> read_trace(const std::filesystem::path& file) {
  std::vector<Call> calls;
  std::ifstream trace(file);
  for (std::string line; std::getline(trace, line);) {
    const std::size_t open = line.find('(');
    if (open == std::string::npos) continue;
    calls.push_back({line.substr(0, open), line.substr(open + 1, line.find_first_of(",)", open) - open - 1), line});
  }
  return calls;
}

std::string result_of(const Call& call) { return call.text.substr(call.text.rfind("= ") + 2); }

// The sync of the data, then the meta page through a descriptor whose writes are synchronous, then success: in this
// order, each having returned 0 or all its bytes before the next began.
TEST_F(LmdbProcesses, AcknowledgeAWriteAfterTheSyncReturned) {
  const auto trace = folder.path() / "trace";
  ASSERT_TRUE(StoreClient(*open()).put("k", "old"));
  // A leak checker cannot work in a traced process.
  std::vector<std::string> command = {"strace",
                                      "-E",
                                      "ASAN_OPTIONS=detect_leaks=0",
                                      "-o",
                                      trace.string(),
                                      "-e",
                                      "trace=openat,pwrite64,writev,fdatasync,write"};
  const auto line = helper("put", {"k", "new"});
  command.insert(command.end(), line.begin(), line.end());
  Process traced(command);
  if (traced.line() != "written") {
    traced.wait();
    GTEST_SKIP() << "strace is missing, or may not trace here";
  }
  ASSERT_EQ(traced.wait(), 0);

  std::string data;
  std::string meta;
  std::vector<std::string> order;
  for (const Call& call : read_trace(trace)) {
    if (call.name == "openat" && call.text.contains("/data.mdb\"")) {
      (call.text.contains("O_DSYNC") ? meta : data) = result_of(call);
    } else if ((call.name == "pwrite64" || call.name == "writev") && call.descriptor == data) {
      if (order.empty() || order.back() != "data") order.push_back("data");
    } else if (call.name == "fdatasync" && call.descriptor == data) {
      EXPECT_EQ(result_of(call), "0");
      order.push_back("sync");
    } else if (call.name == "pwrite64" && call.descriptor == meta) {
      order.push_back("meta");
    } else if (call.name == "write" && call.text.contains("written")) {
      order.push_back("success");
    }
  }
  EXPECT_EQ(order, (std::vector<std::string>{"data", "sync", "meta", "success"}));
}

}  // namespace
}  // namespace portail
