// Key sets from a setting's text or from a file.
#pragma once

#include <string>
#include <utility>

#include <sys/stat.h>

#include "native/keys/key_document.hpp"

namespace portail::keys {

class TextDocument final : public Document {
 public:
  explicit TextDocument(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::string name() const override { return "the key set given as text"; }
  std::expected<std::string, std::string> read(std::stop_token) override { return text_; }

 private:
  std::string text_;
};

// A file of at most 1 MiB. It is read again only if its inode, size or times have changed.
class FileDocument final : public Document {
 public:
  // `setting` is the setting that names the file, for messages.
  FileDocument(std::string file, std::string setting) : file_(std::move(file)), setting_(std::move(setting)) {}

  [[nodiscard]] std::string name() const override { return file_; }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string file_;
  std::string setting_;
  struct stat last_stat_{};  // when the file was read; st_ino 0: not read yet
  std::expected<std::string, std::string> text_;
};

}  // namespace portail::keys
