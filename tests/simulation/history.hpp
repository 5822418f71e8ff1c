// The history of a value: every write with the time in which it may have taken effect. A reader may find a value whose
// write began before the read ended, unless another write certainly replaced it before the read began. One thread.
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

  // Begins a write of `value`. Until `end` is called it may or may not have taken effect.
  std::size_t begin(T value, Moment now) {
    writes_.push_back({std::move(value), now, never});
    return writes_.size() - 1;
  }
  void end(std::size_t write, Moment now) { writes_[write].ended = now; }
  // Records that the write changed nothing.
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

  // Sets the current value while no write is in flight.
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
