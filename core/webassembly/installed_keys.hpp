// The key set in use, and the log of its diagnostics. One thread.
#pragma once

#include <cstdint>

#include "core/auth/key_source.hpp"

namespace portail {

class InstalledKeys {
 public:
  // Must be called before each request.
  void count_request() {
    if (requests_ < 2) ++requests_;
  }

  [[nodiscard]] const SharedKeySet& current() const { return keys_; }
  // Logs the diagnostics of the set, but not during the first request: a host that creates an instance for each request
  // would log them for each.
  void install(Context& context, const LoadedKeySet& loaded);
  [[nodiscard]] bool has_unlogged_diagnostics() const { return has_unlogged_diagnostics_; }
  // Logs them. `loaded` is the set in use.
  void log_diagnostics(Context& context, const LoadedKeySet& loaded);
  void drop_diagnostics() { has_unlogged_diagnostics_ = false; }
  void reset() { keys_.reset(); }

 private:
  SharedKeySet keys_;
  std::uint8_t requests_ = 0;              // so far, at most 2
  bool has_unlogged_diagnostics_ = false;  // of keys_
};

}  // namespace portail
