// Decides when to return freed memory to the system. glibc keeps it in the arenas of its threads: without trimming, a
// server kept 160 MiB after 3,000 concurrent TLS handshakes. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace portail::server {

class MemoryTrim {
 public:
  // In bytes. Less freed memory stays in the allocator: returning it costs more than it saves.
  static constexpr std::size_t min_trim_bytes = std::size_t{8} << 20;

  // Records a peak between two ticks. Call it when usage grows.
  void record_usage(std::size_t occupied) { peak_ = std::max(peak_, occupied); }

  // Returns whether to trim. Call it at each tick; `occupied` is the approximate memory, in bytes, of connections and
  // answers. True if usage fell by at least half of its peak and by min_trim_bytes, and is not falling any more; then
  // the peak is reset. Also true at the tick after that: a connection may leave the count before its memory is freed.
  bool should_trim(std::size_t occupied) {
    const bool is_falling = occupied < std::exchange(last_, occupied);
    record_usage(occupied);
    if (std::exchange(should_repeat_, false)) return true;
    if (is_falling || peak_ - occupied < std::max(min_trim_bytes, peak_ / 2)) return false;
    peak_ = occupied;
    should_repeat_ = true;
    return true;
  }

  // Lets glibc keep less memory after a peak: one arena for each processor instead of eight, and no fastbins, whose
  // chunks malloc_trim merges with the end of an arena but does not return. Call it before other threads start.
  static void configure_allocator(unsigned processors) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, static_cast<int>(std::max(processors, 1U)));
    mallopt(M_MXFAST, 0);
#else
    (void)processors;
#endif
  }

  static void trim() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

 private:
  std::size_t peak_ = 0;
  std::size_t last_ = 0;
  bool should_repeat_ = false;
};

}  // namespace portail::server
