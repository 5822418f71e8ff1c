#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/system/log_writer.hpp"

namespace portail {
namespace {

using Priority = LogWriter::Priority;

std::string dropped_lines_message(std::uint64_t lines) { return "lost " + std::to_string(lines); }

// A pipe of one page, the minimum size.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    EXPECT_EQ(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
  }
  // Returns the next line, without its line end. For one thread. Reads blocks: a megabyte of single bytes takes longer
  // than a writer waits at its end, under a sanitizer on a busy machine.
  [[nodiscard]] std::string line() const {
    std::array<char, 4096> block{};
    while (!unread.contains('\n')) {
      const ssize_t count = read(reading.number(), block.data(), block.size());
      if (count <= 0) break;
      unread.append(block.data(), static_cast<std::size_t>(count));
    }
    const std::size_t end = std::min(unread.find('\n'), unread.size());
    std::string text = unread.substr(0, end);
    unread.erase(0, end + 1);
    return text;
  }
  Descriptor reading{-1};
  Descriptor writing{-1};
  mutable std::string unread;
};

const std::string long_line(1023, 'x');

// Counts the long lines that arrived and those reported as lost, until the sum is `lines`; and whether a record
// arrived.
struct Account {
  std::uint64_t came = 0;
  std::uint64_t lost = 0;
  bool has_record = false;
};
Account account_for(const Pipe& pipe, std::uint64_t lines) {
  Account account;
  while (account.came + account.lost < lines) {
    const std::string line = pipe.line();
    if (line == long_line) ++account.came;
    if (line.starts_with("lost ")) account.lost += std::stoull(line.substr(5));
    if (line == "a record") account.has_record = true;
    if (line.empty()) break;
  }
  return account;
}

TEST(LogWriter, QueuesAMebibyteAndEndsWithin5Seconds) {
  EXPECT_EQ(LogWriter::default_capacity, 1'048'576U);
  EXPECT_EQ(LogWriter::close_timeout, std::chrono::seconds(5));
}

TEST(LogWriter, WritesAllLinesBeforeItEnds) {
  const Pipe pipe;
  {
    LogWriter writer(pipe.writing.number(), dropped_lines_message);
    writer.add("one", Priority::normal);
    writer.add("two", Priority::record);
  }
  EXPECT_EQ(pipe.line(), "one");
  EXPECT_EQ(pipe.line(), "two");
}

TEST(LogWriter, ReportsTheNumberOfLostLines) {
  const Pipe pipe;
  LogWriter writer(pipe.writing.number(), dropped_lines_message, 8 * 1024);
  for (int i = 0; i < 104; ++i) writer.add(long_line, Priority::normal);
  const Account account = account_for(pipe, 104);
  // Six lines fit into three quarters, four into the pipe.
  EXPECT_GE(account.came, 6);
  EXPECT_LE(account.came, 10);
  EXPECT_EQ(account.came + account.lost, 104);
  writer.add("it flows again", Priority::normal);
  EXPECT_EQ(pipe.line(), "it flows again");
}

TEST(LogWriter, ReservesSpaceForRecords) {
  const Pipe pipe;
  LogWriter writer(pipe.writing.number(), dropped_lines_message, 8 * 1024);
  for (int i = 0; i < 104; ++i) writer.add(long_line, Priority::normal);
  writer.add("a record", Priority::record);
  EXPECT_TRUE(account_for(pipe, 104).has_record);
}

TEST(LogWriter, WritesARecordBeforeItReturns) {
  const Pipe pipe;
  ASSERT_EQ(fcntl(pipe.reading.number(), F_SETFL, O_NONBLOCK), 0);
  LogWriter writer(pipe.writing.number(), dropped_lines_message);
  writer.add("one", Priority::normal);
  writer.add_record("a record");
  EXPECT_EQ(pipe.line(), "one");
  EXPECT_EQ(pipe.line(), "a record");
}

TEST(LogWriter, DoesNotWaitForASlowReaderWithARecord) {
  const Pipe pipe;
  LogWriter writer(pipe.writing.number(), dropped_lines_message, 64 * 1024);
  for (int i = 0; i < 20; ++i) writer.add_record(long_line);
  // Four fit into the pipe; the others are written when the test reads.
  EXPECT_EQ(account_for(pipe, 20).came, 20);
}

TEST(LogWriter, LosesNothingToASlowReader) {
  const Pipe pipe;
  std::jthread reader([&] { EXPECT_EQ(account_for(pipe, 1000).came, 1000); });
  LogWriter writer(pipe.writing.number(), dropped_lines_message, 2 * 1024 * 1024);
  for (int i = 0; i < 1000; ++i) writer.add(long_line, Priority::normal);
}

TEST(LogWriter, SurvivesAReaderThatHasClosed) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): as the program does
  Pipe pipe;
  pipe.reading = Descriptor(-1);
  LogWriter writer(pipe.writing.number(), dropped_lines_message);
  writer.add("one", Priority::normal);
  writer.flush();
  writer.add("two", Priority::normal);
  writer.flush();
}

}  // namespace
}  // namespace portail
