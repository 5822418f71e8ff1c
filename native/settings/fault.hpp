// Why a command cannot do what it was asked: one line for the operator that says what to do, and the exit status.
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

// What the help, the manual and docs/reference/commands.md say of each.
inline constexpr std::array exit_meanings{ExitMeaning{ExitStatus::success, "done"},
                                          ExitMeaning{ExitStatus::failure, "failed"},
                                          ExitMeaning{ExitStatus::wrong_usage, "invalid command line or setting"}};

struct Fault {
  ExitStatus status;
  std::string line;
};

inline std::unexpected<Fault> failure(std::string line) {
  return std::unexpected(Fault{ExitStatus::failure, std::move(line)});
}
inline std::unexpected<Fault> wrong_usage(std::string line) {
  return std::unexpected(Fault{ExitStatus::wrong_usage, std::move(line)});
}

}  // namespace portail
