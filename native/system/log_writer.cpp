#include "native/system/log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace portail {
namespace {

using std::chrono::steady_clock;

// Lines are written in batches, so that they share system calls.
constexpr std::size_t batch_bytes = 32 * 1024;
constexpr std::chrono::milliseconds batch_interval{200};

constexpr std::chrono::milliseconds space_timeout{100};
constexpr std::chrono::seconds record_timeout{2};  // a disk may stall briefly
constexpr std::chrono::seconds flush_timeout{1};
constexpr std::chrono::milliseconds poll_interval{100};  // to notice close() while the pipe is full

}  // namespace

LogWriter::LogWriter(int descriptor, std::function<std::string(std::uint64_t)> dropped_lines_message,
                     std::size_t capacity)
    : descriptor_(descriptor),
      dropped_lines_message_(std::move(dropped_lines_message)),
      capacity_(capacity),
      thread_([this] { run(); }) {}

LogWriter::~LogWriter() {
  if (thread_.joinable()) close();
}

void LogWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    close_deadline_ = steady_clock::now() + close_timeout;
  }
  wake_.notify_one();
  thread_.join();
}

void LogWriter::add(std::string_view line, Priority priority) {
  std::unique_lock lock(mutex_);
  const std::size_t limit = priority == Priority::record ? capacity_ : capacity_ / 4 * 3;
  const auto has_space = [&] { return buffered_bytes_ + line.size() < limit; };
  if (!has_space() && may_wait_) {
    flush_requested_ = true;
    wake_.notify_one();
    if (!space_.wait_for(lock, space_timeout, has_space)) may_wait_ = false;
  }
  if (!has_space()) {
    ++dropped_;
    return;
  }
  const std::size_t before = lines_.size();
  lines_.append(line).append("\n");
  ++line_count_;
  buffered_bytes_ += lines_.size() - before;
  if (before == 0 || (before < batch_bytes && lines_.size() >= batch_bytes)) wake_.notify_one();
}

void LogWriter::add_record(std::string_view line) {
  add(line, Priority::record);
  std::unique_lock lock(mutex_);
  flush_requested_ = true;
  wake_.notify_one();
  const std::uint64_t end = written_bytes_ + buffered_bytes_;
  if (may_wait_ && !space_.wait_for(lock, record_timeout, [&] { return written_bytes_ >= end; })) may_wait_ = false;
}

void LogWriter::flush_soon() {
  {
    const std::lock_guard lock(mutex_);
    flush_requested_ = true;
  }
  wake_.notify_one();
}

void LogWriter::flush() {
  flush_soon();
  std::unique_lock lock(mutex_);
  space_.wait_for(lock, flush_timeout, [this] { return buffered_bytes_ == 0; });
}

void LogWriter::run() {
  bool fails = false;
  const auto has_work = [&] { return !lines_.empty() || (dropped_ > 0 && !fails); };
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closing_ || has_work(); });
    wake_.wait_for(lock, batch_interval,
                   [this] { return closing_ || flush_requested_ || lines_.size() >= batch_bytes; });
    if (!has_work()) return;
    flush_requested_ = false;
    std::string text = std::exchange(lines_, {});
    const std::uint64_t lines = std::exchange(line_count_, 0);
    const std::uint64_t reported = dropped_;
    if (reported > 0) {  // the lines before these were accepted
      const std::string line = dropped_lines_message_(reported) + "\n";
      text += line;
      buffered_bytes_ += line.size();
    }
    lock.unlock();
    fails = !write_out(text);
    lock.lock();
    if (fails) {
      dropped_ += lines;
    } else {
      dropped_ -= reported;
    }
    if (is_past_close_deadline()) return;
  }
}

bool LogWriter::write_out(std::string_view text) {
  while (!text.empty()) {
    {
      const std::lock_guard lock(mutex_);
      if (is_past_close_deadline()) return false;
    }
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(poll_interval.count())) <= 0) continue;
    // A pipe that is ready accepts PIPE_BUF bytes without blocking, although the descriptor, which other programs
    // share, may block.
    const ssize_t count = write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {  // the descriptor is broken: there is no other way to report it
      on_written(text.size());
      return false;
    }
    on_written(static_cast<std::size_t>(count));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void LogWriter::on_written(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    buffered_bytes_ -= bytes;
    written_bytes_ += bytes;
    if (buffered_bytes_ < capacity_ / 2) may_wait_ = true;
  }
  space_.notify_all();
}

bool LogWriter::is_past_close_deadline() const { return closing_ && steady_clock::now() >= close_deadline_; }

}  // namespace portail
