// Lines on their way to a descriptor. A thread of its own writes them, so that a slow or stopped reader blocks no other
// thread: lines that find no room are lost and counted, and the count is written once lines are taken again. Any
// thread.
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
  enum class Room : std::uint8_t {
    usual,     // three quarters
    reserved,  // all there is: for lines that are a record
  };
  static constexpr std::size_t usual_capacity = 1024 * 1024;
  static constexpr std::chrono::seconds longest_end{5};

  // The descriptor stays open as long as the writer lives. `line_of_lost` makes the line that says how many were lost.
  LogWriter(int descriptor, std::function<std::string(std::uint64_t)> line_of_lost,
            std::size_t capacity = usual_capacity);
  // As close().
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // `line` has no line break. Where there is no room, waits for a moment until there is; not again before half of the
  // room is free.
  void add(std::string_view line, Room room);
  // Adds a line that is a record, and waits until it is written: for a moment, as above.
  void add_record(std::string_view line);
  // Writes soon what would wait for more to be gathered.
  void hurry();
  // Waits until all is written, for a second at most.
  void flush();
  // Writes what there is; gives up what is not taken within longest_end. What comes later is lost. Once.
  void close();

 private:
  void run();
  // False: it was given up.
  bool write_out(std::string_view text);
  void was_taken(std::size_t bytes);
  [[nodiscard]] bool must_end() const;  // with mutex_ held

  int descriptor_;
  std::function<std::string(std::uint64_t)> line_of_lost_;
  std::size_t capacity_;

  mutable std::mutex mutex_;  // for what follows
  std::condition_variable work_;
  std::condition_variable room_;
  std::string lines_;
  std::uint64_t line_count_ = 0;  // in lines_
  std::size_t held_ = 0;          // bytes of lines_, and of what the thread is writing
  std::uint64_t taken_ = 0;       // bytes, since the beginning
  std::uint64_t lost_ = 0;
  bool patient_ = true;
  bool hurries_ = false;
  bool ends_ = false;
  std::chrono::steady_clock::time_point end_by_;

  std::thread thread_;  // the last member: it uses the others
};

}  // namespace portail
