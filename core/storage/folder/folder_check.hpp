// The check of a folder, and what the log says if it fails.
#pragma once

#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "core/base/failure.hpp"
#include "core/storage/folder/primitives.hpp"

namespace portail {

// An error of the folder store: the Failure, and the reason for the log, which contains no value or identifier. Values.

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

// Checks that a folder is a store's, so that no other folder is taken for one by mistake. Any thread.

// Refuses a folder that contains other files and no store; the error names the first one. `path` is the folder's name
// in the error, one line for the operator.
std::expected<void, std::string> check_is_store(int folder, const std::string& path);

}  // namespace portail
