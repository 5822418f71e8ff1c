// Waiting, under wasi:http 0.2: the instance stands still until the host has something, or a span of time is over.
#pragma once

#include <cstdint>

#include "edge/http/p2/resources.hpp"

namespace portail::edge {

// A span of time that bounds waits; it begins with the first of them.
class Timer {
 public:
  explicit Timer(std::uint64_t nanoseconds) : nanoseconds_(nanoseconds) {}

  // True: `ready` is. False: the time was over first.
  bool wait_for(const Pollable& ready);

 private:
  std::uint64_t nanoseconds_;
  Pollable alarm_;
};

}  // namespace portail::edge
