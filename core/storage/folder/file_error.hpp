// Why a call of the file system failed. Values.
#pragma once

#include <cerrno>

namespace portail {

struct FileError {
  int code = 0;  // an errno

  [[nodiscard]] bool is_missing() const { return code == ENOENT; }
  // A name exists, or a folder has content.
  [[nodiscard]] bool is_occupied() const { return code == EEXIST || code == ENOTEMPTY; }
};

}  // namespace portail
