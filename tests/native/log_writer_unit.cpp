#include <array>
#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/files/descriptor.hpp"
#include "native/host/log_writer.hpp"

namespace portail {
namespace {

using Room = LogWriter::Room;

std::string line_of_lost(std::uint64_t lines) { return "lost " + std::to_string(lines); }

// A pipe of one page, as small as they come.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    EXPECT_EQ(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
  }
  // The next line, without its end.
  [[nodiscard]] std::string line() const {
    std::string text;
    for (char c = 0; read(reading.number(), &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  Descriptor reading{-1};
  Descriptor writing{-1};
};

const std::string long_line(1023, 'x');

// How many of so many long lines came and how many are said to be lost, when all are accounted for; and whether another
// line came among them.
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

TEST(LogWriter, WritesAllThatItHasBeforeItEnds) {
  const Pipe pipe;
  {
    LogWriter writer(pipe.writing.number(), line_of_lost);
    writer.add("one", Room::usual);
    writer.add("two", Room::reserved);
  }
  EXPECT_EQ(pipe.line(), "one");
  EXPECT_EQ(pipe.line(), "two");
}

TEST(LogWriter, SaysHowManyLinesFoundNoRoom) {
  const Pipe pipe;
  LogWriter writer(pipe.writing.number(), line_of_lost, 8 * 1024);
  for (int i = 0; i < 104; ++i) writer.add(long_line, Room::usual);
  const Account account = account_for(pipe, 104);
  // Six lines fit into three quarters, four into the pipe.
  EXPECT_GE(account.came, 6);
  EXPECT_LE(account.came, 10);
  EXPECT_EQ(account.came + account.lost, 104);
  writer.add("it flows again", Room::usual);
  EXPECT_EQ(pipe.line(), "it flows again");
}

TEST(LogWriter, HasRoomForRecordsWhereOtherLinesAreLost) {
  const Pipe pipe;
  LogWriter writer(pipe.writing.number(), line_of_lost, 8 * 1024);
  for (int i = 0; i < 104; ++i) writer.add(long_line, Room::usual);
  writer.add("a record", Room::reserved);
  EXPECT_TRUE(account_for(pipe, 104).has_record);
}

TEST(LogWriter, HasWrittenARecordWhenItReturns) {
  const Pipe pipe;
  ASSERT_EQ(fcntl(pipe.reading.number(), F_SETFL, O_NONBLOCK), 0);
  LogWriter writer(pipe.writing.number(), line_of_lost);
  writer.add("one", Room::usual);
  writer.add_record("a record");
  EXPECT_EQ(pipe.line(), "one");
  EXPECT_EQ(pipe.line(), "a record");
}

TEST(LogWriter, WaitsWithNoRecordForAReaderWhoDoesNotRead) {
  const Pipe pipe;
  LogWriter writer(pipe.writing.number(), line_of_lost, 64 * 1024);
  for (int i = 0; i < 20; ++i) writer.add_record(long_line);
  // Four fit into the pipe; all are written once somebody reads.
  EXPECT_EQ(account_for(pipe, 20).came, 20);
}

TEST(LogWriter, LosesNothingOfWhatIsTakenSlowly) {
  const Pipe pipe;
  std::jthread reader([&] { EXPECT_EQ(account_for(pipe, 1000).came, 1000); });
  LogWriter writer(pipe.writing.number(), line_of_lost, 2 * 1024 * 1024);
  for (int i = 0; i < 1000; ++i) writer.add(long_line, Room::usual);
}

TEST(LogWriter, OutlivesAReaderWhoIsGone) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): as the program does
  Pipe pipe;
  pipe.reading = Descriptor(-1);
  LogWriter writer(pipe.writing.number(), line_of_lost);
  writer.add("one", Room::usual);
  writer.flush();
  writer.add("two", Room::usual);
  writer.flush();
}

}  // namespace
}  // namespace portail
