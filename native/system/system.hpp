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

// Returns the folder of portail below the absolute path in the variable, or below `otherwise` in the home directory.
std::string user_folder(const char* variable, std::string_view otherwise);

// Returns the message of an exception, which names the limit of the process that caused it.
std::string describe_error(const std::exception& error);

}  // namespace portail
