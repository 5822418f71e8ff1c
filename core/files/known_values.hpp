// Values of files that were read before, and when they count as unchanged without being read again: while the name
// still leads to the same file, its size and times are the same, and these times lie safely before the reading. It is
// the rule by which version control tells files that changed within one tick of a clock from those that did not.
// Bounded; one thread.
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

// What a look at a file says without reading it. Times in nanoseconds since 1970.
struct FileStatus {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // its bytes
  std::int64_t changed = 0;   // the file itself, as its host defines that (wasmtime: its creation); cannot be set
  std::array<std::uint64_t, 2> identity{};  // which file it is, of all that exist now

  friend bool operator==(const FileStatus&, const FileStatus&) = default;
};

// The same moment on the clock that files are stamped by, and on one that is never set.
struct Moment {
  Instant wall;
  std::int64_t steady = 0;  // microseconds
};

class KnownValues {
 public:
  using SharedValue = std::shared_ptr<const std::string>;

  static constexpr std::size_t most_values = 4096;
  static constexpr std::size_t most_bytes = std::size_t{2} * 1024 * 1024;
  // A change that comes at least this long after the one before has other times than that, on every file system: the
  // coarsest has two seconds; the rest is for a clock that is set back by no more than tolerance_microseconds.
  static constexpr std::int64_t margin_microseconds = 4'000'000;
  static constexpr std::int64_t tolerance_microseconds = 1'000'000;

  // Whether a look at the file may spare its reading: not where the value is asked for the first time, and not so soon
  // after a change that no look can tell it from the next one.
  [[nodiscard]] bool is_worth_a_look(std::string_view key, Instant now);

  // The value, where the file that is `status` at `now` was read before and has not changed since; null otherwise.
  [[nodiscard]] SharedValue find(std::string_view key, const FileStatus& status, Moment now);

  // What was read at `key` after a look that began at `before` found `status`. May forget others for it, or not keep
  // it.
  SharedValue keep(std::string_view key, const FileStatus& status, Moment before, std::string value);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    SharedValue value;  // null: asked for, and not known
    FileStatus status;
    Moment read;
    std::int64_t settles = 0;  // when a look begins to be of use, by the wall's clock
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] Entry* entry_of(std::string_view key);
  void drop_value(Entry& entry);
  void forget_the_oldest();

  Entries entries_;  // what was asked for last comes first
  std::map<std::string_view, Entries::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace portail
