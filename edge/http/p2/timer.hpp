// Blocking waits with a timeout, for wasi:http 0.2.
#pragma once

#include <cstdint>

#include "edge/http/p2/resources.hpp"

namespace portail::edge {

// A timeout for one or more waits. It starts with the first wait.
class Timer {
 public:
  explicit Timer(std::uint64_t nanoseconds) : nanoseconds_(nanoseconds) {}

  // Blocks the instance until `ready` is ready (true) or the timeout has ended (false).
  bool wait_for(const Pollable& ready);
  // Blocks the instance until the timeout has ended.
  void wait();

 private:
  std::uint64_t nanoseconds_;
  Pollable timeout_;
};

}  // namespace portail::edge
