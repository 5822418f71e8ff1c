// What went wrong in the folder: a failure of the store, and a line for the log without any value or identifier.
// Values.
#pragma once

#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "core/base/failure.hpp"

namespace portail {

struct FolderFault {
  Failure failure = Failure::unavailable;
  std::string why;
};

// A call to the system failed with `code`, an errno. What is in the place of a value and is no regular file is damage;
// all else (a full disk, missing rights, a failing device) may be put right.
inline std::unexpected<FolderFault> system_fault(int code) {
  const bool damaged = code == EISDIR || code == ENOTDIR || code == ELOOP || code == ENXIO;
  if (!damaged) return std::unexpected(FolderFault{Failure::unavailable, std::strerror(code)});
  // The names of files hold identifiers, and no line of the log may.
  std::string why = "not a regular file where one must be (";
  why.append(std::strerror(code)).append("): move away what `portail check` names");
  return std::unexpected(FolderFault{Failure::corrupt, std::move(why)});
}

}  // namespace portail
