// A bounded cache of the values of files, validated by stat. One thread.
//
// A cached value is valid while its name refers to the same file, and the file's size and times are unchanged. The
// times must be older than the read by a minimum age, as in Git's index: a file may change twice within one tick of its
// clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace portail {

// The metadata of a file. Times are in nanoseconds since 1970.
struct FileMetadata {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // mtime
  std::int64_t changed = 0;   // ctime as the host defines it (wasmtime: the creation time); no process can set it
  std::array<std::uint64_t, 2> identity{};  // unique among existing files

  friend bool operator==(const FileMetadata&, const FileMetadata&) = default;
};

// One instant on two clocks: the wall clock, which sets the times of files, and a monotonic clock.
struct ClockReading {
  Instant wall;
  std::int64_t steady = 0;  // microseconds
};

class ValueCache {
 public:
  using SharedValue = std::shared_ptr<const std::string>;

  static constexpr std::size_t max_values = 4096;
  static constexpr std::size_t max_bytes = std::size_t{2} * 1024 * 1024;
  // Minimum age of a file's times when it is read. Two changes that are this far apart have different times on every
  // file system: the coarsest resolution is two seconds. The rest allows for a wall clock that is set back by at most
  // clock_tolerance_microseconds.
  static constexpr std::int64_t min_age_microseconds = 4'000'000;
  static constexpr std::int64_t clock_tolerance_microseconds = 1'000'000;

  // Returns whether a stat of the file may avoid a read. False for a key's first lookup, and while the file's last
  // change is too recent to be distinguished from the next one.
  [[nodiscard]] bool should_stat(std::string_view key, Instant now);

  // Returns the cached value of `key` if it is valid for a file that has `status` at `now`; null on a miss.
  [[nodiscard]] SharedValue find(std::string_view key, const FileMetadata& status, ClockReading now);

  // Caches `value`, which was read after a stat that began at `before` returned `status`. Evicts other values if the
  // cache is full. A value that could not be validated later is not cached. Returns the value.
  SharedValue insert(std::string_view key, const FileMetadata& status, ClockReading before, std::string value);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    SharedValue value;  // null: not cached
    FileMetadata status;
    ClockReading read;
    std::int64_t settles = 0;  // microseconds on the wall clock from which a stat can validate the value
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] Entry* entry_of(std::string_view key);
  void evict_value(Entry& entry);
  void evict_oldest();

  Entries entries_;  // most recently used first
  std::map<std::string_view, Entries::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace portail
