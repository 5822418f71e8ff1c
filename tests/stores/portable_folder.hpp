// As TemporaryFolder, in /tmp, with calls that WASI also supports. One thread.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/storage/folder/folder_writer.hpp"

namespace portail {

class PortableFolder {
 public:
  PortableFolder() {
    unsigned long long number = 0;
    if (getentropy(&number, sizeof number) != 0) std::abort();
    path_ = "/tmp/portail-folder-" + std::to_string(number);
    if (mkdir(path_.c_str(), 0700) != 0) std::abort();
  }
  PortableFolder(const PortableFolder&) = delete;
  PortableFolder& operator=(const PortableFolder&) = delete;
  ~PortableFolder() { remove_tree(AT_FDCWD, path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + '/' + std::string(name); }

 private:
  std::string path_;
};

}  // namespace portail
