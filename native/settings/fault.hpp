// An error of a command: one line for the operator, and the exit status.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace portail {

enum class ExitStatus : std::uint8_t { success = 0, failure = 1, wrong_usage = 2 };

struct ExitMeaning {
  ExitStatus status;
  std::string_view meaning;
};

// The texts of the help, the manual and docs/reference/commands.md.
inline constexpr std::array exit_meanings{ExitMeaning{ExitStatus::success, "done"},
                                          ExitMeaning{ExitStatus::failure, "failed"},
                                          ExitMeaning{ExitStatus::wrong_usage, "invalid command line or setting"}};

struct Fault {
  ExitStatus status;
  std::string message;
};

// Begins the message of a fault of writing standard output.
inline constexpr std::string_view output_fault = "cannot write to standard output";

inline std::unexpected<Fault> failure(std::string message) {
  return std::unexpected(Fault{ExitStatus::failure, std::move(message)});
}
inline std::unexpected<Fault> wrong_usage(std::string message) {
  return std::unexpected(Fault{ExitStatus::wrong_usage, std::move(message)});
}

}  // namespace portail
