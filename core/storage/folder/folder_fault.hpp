// An error of the folder store: the Failure, and the reason for the log, which contains no value or identifier. Values.
#pragma once

#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "core/base/failure.hpp"
#include "core/storage/folder/file_error.hpp"

namespace portail {

struct FolderFault {
  Failure failure = Failure::unavailable;
  std::string reason;
};

// Returns the fault for a failed call. If the file of a value is not a regular file, the store is corrupt; other errors
// (a full disk, missing rights, a failing device) are Failure::unavailable.
inline std::unexpected<FolderFault> system_fault(FileError error) {
  const int code = error.code;
  const bool is_corrupt = code == EISDIR || code == ENOTDIR || code == ELOOP || code == ENXIO;
  if (!is_corrupt) return std::unexpected(FolderFault{Failure::unavailable, std::strerror(code)});
  // The reason omits the file's name: it contains identifiers, which must not be logged.
  std::string reason = "not a regular file (";
  reason.append(std::strerror(code)).append("): move away what `portail check` names");
  return std::unexpected(FolderFault{Failure::corrupt, std::move(reason)});
}

}  // namespace portail
