// Key sets that need no network: the text of a setting, and a file.
#pragma once

#include <string>
#include <utility>

#include <sys/stat.h>

#include "native/keys/key_document.hpp"

namespace portail {

class TextDocument final : public KeyDocument {
 public:
  explicit TextDocument(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::string name() const override { return "the key set given as text"; }
  std::expected<std::string, std::string> read(std::stop_token) override { return text_; }

 private:
  std::string text_;
};

// At most 1 MiB. The file is opened again only when its inode, size or times have changed.
class FileDocument final : public KeyDocument {
 public:
  // `setting` is what the operator knows the setting by that names the file.
  FileDocument(std::string file, std::string setting) : file_(std::move(file)), setting_(std::move(setting)) {}

  [[nodiscard]] std::string name() const override { return file_; }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string file_;
  std::string setting_;
  struct stat state_{};  // of the file when it was read; st_ino 0: not read yet
  std::expected<std::string, std::string> text_;
};

}  // namespace portail
