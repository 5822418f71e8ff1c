// Files without a name, which disappear with their last descriptor.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Returns the folder of temporary files: that of TMPDIR; if it is unset, `otherwise`; if that is empty, /tmp.
std::string temporary_folder(const std::string& otherwise = {});

// Creates a file in the folder, on its file system. The error is a message.
std::expected<Descriptor, std::string> create_temporary_file(const std::string& folder);

// Bytes that are written once and then read from the beginning, as often as needed. One thread at a time. An error is a
// message, which names the folder.
class TemporaryFile {
 public:
  static std::expected<TemporaryFile, std::string> create(const std::string& folder);

  // Adds bytes at the end; only before the first rewind. After an error nothing is added.
  std::expected<void, std::string> append(std::string_view bytes);
  // Removes the content.
  std::expected<void, std::string> clear();
  std::expected<void, std::string> rewind();
  // Returns the next bytes, valid until the next call; none at the end.
  std::expected<std::string_view, std::string> next();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Returns the file, positioned at its begin.
  [[nodiscard]] Descriptor release();

 private:
  TemporaryFile(Descriptor file, std::string folder) : file_(std::move(file)), folder_(std::move(folder)) {}
  // Removes what is after size_.
  std::expected<void, std::string> truncate();

  Descriptor file_;
  std::string folder_;
  std::uint64_t size_ = 0;
  std::vector<char> chunk_;
};

}  // namespace portail
