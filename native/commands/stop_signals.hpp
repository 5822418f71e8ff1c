// SIGTERM and SIGINT as something to wait for. To be made before the program's first thread, so that no thread is
// interrupted by them. One waiting thread; release() from any.
#pragma once

#include <chrono>
#include <optional>

#include "core/files/descriptor.hpp"

namespace portail {

class StopSignals {
 public:
  StopSignals();

  // True when a signal came; false when the time passed or the wait was released.
  bool wait(std::optional<std::chrono::milliseconds> most = std::nullopt);
  // Ends the wait that is on, and every later one.
  void release();

 private:
  Descriptor signals_;
  Descriptor released_;
};

}  // namespace portail
