// Waits for the signals that stop a server (SIGTERM, SIGINT) or reload it (SIGHUP). Construct it before the first
// thread, so that all threads block these signals. One waiting thread; release() from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

enum class Signal : std::uint8_t {
  stop,
  reload,
  none,  // the time passed
};

class Signals {
 public:
  // Throws std::system_error if the process has no descriptor left.
  Signals();

  // Waits for the next signal until then, if given; nullopt after release().
  std::optional<Signal> wait(std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);
  // Whether a stop signal arrived before `until`, if given; false after release().
  bool wait_for_stop(std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);
  // Ends the current wait and all later ones.
  void release();

 private:
  Descriptor signals_;
  Descriptor released_;
};

}  // namespace portail
