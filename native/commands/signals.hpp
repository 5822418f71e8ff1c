// The signals that tell a server to stop (SIGTERM, SIGINT) or to read its files again (SIGHUP), as something to wait
// for. To be made before the program's first thread, so that no thread is interrupted by them. One waiting thread;
// release() from any.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/files/descriptor.hpp"

namespace portail {

enum class Signal : std::uint8_t { stop, reload };

class Signals {
 public:
  Signals();

  // The next signal; nothing when the wait was released.
  std::optional<Signal> wait();
  // Whether one came that says to stop, before that time or ever; false when the wait was released.
  bool wait_for_stop(std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);
  // Ends the wait that is on, and every later one.
  void release();

 private:
  std::optional<Signal> wait(std::optional<std::chrono::steady_clock::time_point> until);

  Descriptor signals_;
  Descriptor released_;
};

}  // namespace portail
