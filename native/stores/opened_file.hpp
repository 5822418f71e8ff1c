// The identity of an open file or folder, and the path that it was opened by. Any thread.
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
      : path_(std::move(path)), device_(opened.st_dev), inode_(opened.st_ino), size_(opened.st_size) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Returns why the path no longer leads to this file, as one line; nullopt if it does. One system call.
  std::optional<std::string> fault();

 private:
  const std::filesystem::path path_;
  const dev_t device_;
  const ino_t inode_;
  std::atomic<off_t> size_;  // the largest size seen: a file of a store does not shrink while it is open
};

}  // namespace portail
