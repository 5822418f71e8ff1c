// The system clock and random bytes for the core; the system's user, and failures for want of its resources. Any
// thread.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <system_error>

#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override {
    using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
    return {duration_cast<microseconds>(system_clock::now().time_since_epoch()).count()};
  }
};

// libsodium's generator, which is the kernel's; requires sodium_init().
class SystemRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;
};

// The user of this process, for the audit. Any thread.

// Returns the operating system's name of the user, or its number if there is no name in UTF-8.
std::string system_user();

// The message of an exception, which names the limit of the process that caused it.

inline std::string describe_error(const std::exception& error) {
  const std::string what = error.what();
  const auto* const failed = dynamic_cast<const std::system_error*>(&error);
  if (failed && failed->code() == std::errc::resource_unavailable_try_again) {  // of std::thread
    return "cannot start a thread: " + what +
           ": raise the limit of threads and processes (ulimit -u; systemd: TasksMax; containers: --pids-limit), or of "
           "memory (ulimit -v)";
  }
  if (failed && failed->code() == std::errc::too_many_files_open)
    return what + ": raise the limit of open files (ulimit -n)";
  return what;
}

}  // namespace portail
