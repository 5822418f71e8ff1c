// Writes lines to a descriptor on its own thread, so that a slow or stopped reader blocks no other thread. Lines that
// exceed the capacity are dropped and counted; the count is written once the reader accepts lines again. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace portail {

class LogWriter {
 public:
  enum class Priority : std::uint8_t {
    normal,  // may use three quarters of the capacity
    record,  // may use all of it
  };
  static constexpr std::size_t default_capacity = 1024 * 1024;
  static constexpr std::chrono::seconds close_timeout{5};

  // The descriptor must outlive the writer. `dropped_lines_message` formats the line that reports the number of dropped
  // lines.
  LogWriter(int descriptor, std::function<std::string(std::uint64_t)> dropped_lines_message,
            std::size_t capacity = default_capacity);
  // Calls close().
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Appends a line, which has no line break. If the buffer is full, waits a moment for space; after a timeout it does
  // not wait again until half of the capacity is free.
  void add(std::string_view line, Priority priority);
  // Appends a record and waits until it is written, at most for the timeout of a record.
  void add_record(std::string_view line);
  // Writes pending lines without waiting for a full batch.
  void flush_soon();
  // Waits until all lines are written, at most one second.
  void flush();
  // Writes the pending lines; drops those that are not accepted within close_timeout. Later lines are dropped. Call it
  // once.
  void close();

 private:
  void run();
  // Returns false if the descriptor is broken or the deadline passed.
  bool write_out(std::string_view text);
  void on_written(std::size_t bytes);
  [[nodiscard]] bool is_past_close_deadline() const;  // requires mutex_

  int descriptor_;
  std::function<std::string(std::uint64_t)> dropped_lines_message_;
  std::size_t capacity_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::condition_variable space_;
  std::string lines_;
  std::uint64_t line_count_ = 0;     // in lines_
  std::size_t buffered_bytes_ = 0;   // bytes of lines_ and of the batch that the thread writes
  std::uint64_t written_bytes_ = 0;  // bytes, since the start
  std::uint64_t dropped_ = 0;
  bool may_wait_ = true;
  bool flush_requested_ = false;
  bool closing_ = false;
  std::chrono::steady_clock::time_point close_deadline_;

  std::thread thread_;  // the last member, because it uses the others
};

}  // namespace portail
