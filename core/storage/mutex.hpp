// A mutex for the parts of the core that many threads may call: std::mutex, or a no-op where the program has one thread
// only (wasm) and the library has no std::mutex.
#pragma once

#ifdef __STDCPP_THREADS__
#include <mutex>
#endif

namespace portail {

#ifdef __STDCPP_THREADS__
inline constexpr bool has_threads = true;
using Mutex = std::mutex;
#else
inline constexpr bool has_threads = false;
class Mutex {
 public:
  void lock() {}
  void unlock() {}
};
#endif

// Holds the mutex for its own lifetime.
class [[nodiscard]] Lock {
 public:
  explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

}  // namespace portail
