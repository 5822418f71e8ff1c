// One import at a time (contract, "Import"): held by the process that imports, and gone with it however it ends. It
// keeps no reader and no server out.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "native/stores/open_file.hpp"

namespace portail {

class ImportLock {
 public:
  // `folder` exists. The error is one line: another import holds the lock, or the lock file cannot be made.
  static std::expected<ImportLock, std::string> acquire(const std::filesystem::path& folder);

 private:
  explicit ImportLock(OpenFile file) : file_(std::move(file)) {}
  OpenFile file_;
};

}  // namespace portail
