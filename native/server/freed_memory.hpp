// When the memory of connections that have ended goes back to the system. glibc keeps freed memory in the arenas of its
// threads: without this a server that had 3,000 TLS handshakes under way kept 160 MiB of them. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace portail {

class FreedMemory {
 public:
  // In bytes. Less stays in the allocator, also of an idle server: to return it is not worth the milliseconds.
  static constexpr std::size_t min_freed = std::size_t{8} << 20;

  // To be called where more is occupied: a crowd may come and go between two ticks.
  void note(std::size_t occupied) { peak_ = std::max(peak_, occupied); }

  // To be called by each tick. `occupied` is what connections and answers occupy now, in bytes, about. Whether at least
  // half of what they occupied at most since the last time was freed, no less than min_freed, and no more is being
  // freed; then the next comparison begins here. Also the next time after that: a connection is no longer counted
  // before its thread has freed the last of it.
  bool is_due(std::size_t occupied) {
    const bool is_falling = occupied < std::exchange(last_, occupied);
    note(occupied);
    if (std::exchange(is_due_again_, false)) return true;
    if (is_falling || peak_ - occupied < std::max(min_freed, peak_ / 2)) return false;
    peak_ = occupied;
    is_due_again_ = true;
    return true;
  }

  // One arena for each processor instead of glibc's eight: what remains in each after a peak is what its threads share.
  // Before other threads start.
  static void limit_arenas(unsigned processors) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, static_cast<int>(std::max(processors, 1U)));
#else
    (void)processors;
#endif
  }

  static void return_to_system() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

 private:
  std::size_t peak_ = 0;
  std::size_t last_ = 0;
  bool is_due_again_ = false;
};

}  // namespace portail
