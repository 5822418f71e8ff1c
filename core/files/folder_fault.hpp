// What went wrong in the folder: a failure of the store, and a line for the log without any value or identifier.
// Values.
#pragma once

#include <cerrno>
#include <cstring>
#include <expected>
#include <string>

#include "core/base/failure.hpp"

namespace portail {

struct FolderFault {
  Failure failure = Failure::unavailable;
  std::string why;
};

// A call to the system failed with `code`, an errno. What is in the place of a value and is no regular file is damage;
// all else (a full disk, missing rights, a failing device) may be put right.
inline std::unexpected<FolderFault> system_fault(int code) {
  const bool damaged = code == EISDIR || code == ENOTDIR || code == ELOOP;
  return std::unexpected(FolderFault{damaged ? Failure::corrupt : Failure::unavailable, std::strerror(code)});
}

}  // namespace portail
