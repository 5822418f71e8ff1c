#include "native/host/log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace portail {
namespace {

using std::chrono::steady_clock;

// As much is gathered before it is written, so that lines share their system calls.
constexpr std::size_t gathered_bytes = 32 * 1024;
constexpr std::chrono::milliseconds gathered_time{200};

constexpr std::chrono::milliseconds longest_wait_for_room{100};
constexpr std::chrono::seconds longest_wait_for_record{2};  // a disk may stall for a moment
constexpr std::chrono::seconds longest_flush{1};
constexpr std::chrono::milliseconds time_between_looks{100};  // whether the writer ends, while the pipe is not read

}  // namespace

LogWriter::LogWriter(int descriptor, std::function<std::string(std::uint64_t)> line_of_lost, std::size_t capacity)
    : descriptor_(descriptor),
      line_of_lost_(std::move(line_of_lost)),
      capacity_(capacity),
      thread_([this] { run(); }) {}

LogWriter::~LogWriter() {
  if (thread_.joinable()) close();
}

void LogWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    end_by_ = steady_clock::now() + longest_end;
  }
  work_.notify_one();
  thread_.join();
}

void LogWriter::add(std::string_view line, Room room) {
  std::unique_lock lock(mutex_);
  const std::size_t most = room == Room::reserved ? capacity_ : capacity_ / 4 * 3;
  const auto has_room = [&] { return held_ + line.size() < most; };
  if (!has_room() && patient_) {
    hurries_ = true;
    work_.notify_one();
    if (!room_.wait_for(lock, longest_wait_for_room, has_room)) patient_ = false;
  }
  if (!has_room()) {
    ++lost_;
    return;
  }
  const std::size_t before = lines_.size();
  lines_.append(line).append("\n");
  ++line_count_;
  held_ += lines_.size() - before;
  if (before == 0 || (before < gathered_bytes && lines_.size() >= gathered_bytes)) work_.notify_one();
}

void LogWriter::add_record(std::string_view line) {
  add(line, Room::reserved);
  std::unique_lock lock(mutex_);
  hurries_ = true;
  work_.notify_one();
  const std::uint64_t end = taken_ + held_;
  if (patient_ && !room_.wait_for(lock, longest_wait_for_record, [&] { return taken_ >= end; })) patient_ = false;
}

void LogWriter::hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurries_ = true;
  }
  work_.notify_one();
}

void LogWriter::flush() {
  hurry();
  std::unique_lock lock(mutex_);
  room_.wait_for(lock, longest_flush, [this] { return held_ == 0; });
}

void LogWriter::run() {
  bool fails = false;
  const auto has_work = [&] { return !lines_.empty() || (lost_ > 0 && !fails); };
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return ends_ || has_work(); });
    work_.wait_for(lock, gathered_time, [this] { return ends_ || hurries_ || lines_.size() >= gathered_bytes; });
    if (!has_work()) return;
    hurries_ = false;
    std::string text = std::exchange(lines_, {});
    const std::uint64_t lines = std::exchange(line_count_, 0);
    const std::uint64_t told = lost_;
    if (told > 0) {  // what was written before this was taken
      const std::string line = line_of_lost_(told) + "\n";
      text += line;
      held_ += line.size();
    }
    lock.unlock();
    fails = !write_out(text);
    lock.lock();
    if (fails) {
      lost_ += lines;
    } else {
      lost_ -= told;
    }
    if (must_end()) return;
  }
}

bool LogWriter::write_out(std::string_view text) {
  while (!text.empty()) {
    {
      const std::lock_guard lock(mutex_);
      if (must_end()) return false;
    }
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(time_between_looks.count())) <= 0) continue;
    // A pipe that is ready takes as much without blocking, though the descriptor, which other programs share, may
    // block.
    const ssize_t count = write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {  // the descriptor is broken: there is no other way to report it
      was_taken(text.size());
      return false;
    }
    was_taken(static_cast<std::size_t>(count));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void LogWriter::was_taken(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    held_ -= bytes;
    taken_ += bytes;
    if (held_ < capacity_ / 2) patient_ = true;
  }
  room_.notify_all();
}

bool LogWriter::must_end() const { return ends_ && steady_clock::now() >= end_by_; }

}  // namespace portail
