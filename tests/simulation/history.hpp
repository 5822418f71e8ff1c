// Which values a reader may find: every value that was written to one place, with the time in which its write may have
// taken effect. A reader may find a value whose write began before the reader ended, unless another one, surely made,
// began after that write's end and ended before the reader began. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace portail::simulation {

using Moment = std::uint64_t;
inline constexpr Moment never = std::numeric_limits<Moment>::max();

template <class T>
class History {
 public:
  explicit History(T initial = {}) { settle(std::move(initial)); }

  // A write of `value` begins, and ends when `end` is told so; until then it may or may not have taken effect.
  std::size_t begin(T value, Moment now) {
    writes_.push_back({std::move(value), now, never});
    return writes_.size() - 1;
  }
  void end(std::size_t write, Moment now) { writes_[write].ended = now; }
  // It is known that the write changed nothing.
  void undo(std::size_t write) { writes_[write].began = never; }

  [[nodiscard]] std::vector<T> possible(Moment began, Moment ended) const {
    std::vector<T> values;
    for (const Write& write : writes_) {
      const bool overwritten = std::ranges::any_of(
          writes_, [&](const Write& later) { return later.began > write.ended && later.ended < began; });
      if (write.began > ended || overwritten) continue;
      if (std::ranges::find(values, write.value) == values.end()) values.push_back(write.value);
    }
    return values;
  }

  // Nothing is being written, and this is the value.
  void settle(T value) {
    writes_.clear();
    writes_.push_back({std::move(value), 0, 0});
  }

 private:
  struct Write {
    T value;
    Moment began;
    Moment ended;
  };
  std::vector<Write> writes_;
};

}  // namespace portail::simulation
