// Writes files of which readers never see a part: the old file or the whole new one. One thread.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "core/files/descriptor.hpp"

namespace portail {

// Makes the folder, and those above it, where they are missing: for their owner alone. An errno where that fails.
std::expected<void, int> make_folders(const std::string& folder);

// All of the bytes; an errno where they do not go.
std::expected<void, int> write_all(int file, std::string_view bytes);

// A file that takes its name, and the place of the file that had it, when it is whole. Until then it lies beside it, as
// .portail-….unfinished; what is not published is removed. Its mode is 0600, whatever file it replaces. All errors are
// errnos, and end the file.
class WholeFile {
 public:
  // Begins the file `path`; a symbolic link of that name is replaced, not followed.
  static std::expected<WholeFile, int> begin(const std::string& path);
  // What a person means by `path`: a link means the file that it leads to, and what is no regular file (a pipe, a
  // terminal, a device) takes the bytes as they come.
  static std::expected<WholeFile, int> begin_or_open(const std::string& path);
  static WholeFile standard_output();

  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile();

  std::expected<void, int> write(std::string_view bytes);
  // The last bytes are written and on the disk, and the file is closed. Once.
  std::expected<void, int> finish();
  // After finish: the file has its name. A reader finds the old file or this one.
  std::expected<void, int> publish();

 private:
  WholeFile(Descriptor file, std::string path, std::string unfinished)
      : file_(std::move(file)), path_(std::move(path)), unfinished_(std::move(unfinished)) {}
  std::expected<void, int> write_gathered();

  Descriptor file_;
  std::string path_;
  std::string unfinished_;  // empty: written in place, or published
  std::string gathered_;
};

}  // namespace portail
