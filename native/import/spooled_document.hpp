// A temporary file without a name, with the SHA-256 of its content. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <sodium.h>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

class SpooledDocument {
 public:
  // Creates the file in the folder. The error is a message.
  static std::expected<SpooledDocument, std::string> create(const std::string& folder);

  // Returns false after an error, which error() returns.
  [[nodiscard]] bool append(std::string_view bytes);
  // A message; empty without an error.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Removes the content.
  [[nodiscard]] bool clear();

  // Returns the hash in lower case. Call it once, after the last append.
  [[nodiscard]] std::string finish();
  // Returns the file, positioned at its begin.
  [[nodiscard]] Descriptor release();

 private:
  SpooledDocument(Descriptor file, std::string folder);
  bool set_error(int error);

  Descriptor file_;
  std::string folder_;
  std::string error_ = {};
  std::uint64_t size_ = 0;
  crypto_hash_sha256_state hash_{};
};

}  // namespace portail
