// A file or a folder that is open, and the path that it was opened by. Any thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <sys/types.h>

namespace portail {

class OpenedFile {
 public:
  OpenedFile(std::filesystem::path path, const struct stat& opened)
      : path_(std::move(path)), device_(opened.st_dev), number_(opened.st_ino), size_(opened.st_size) {}

  // Why it is no longer what its path leads to, as one line; nothing where it is. One system call.
  std::optional<std::string> fault();

 private:
  const std::filesystem::path path_;
  const dev_t device_;
  const ino_t number_;
  std::atomic<off_t> size_;  // the largest that it had: a file of a store does not shrink while it is open
};

}  // namespace portail
