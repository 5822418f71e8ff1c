// One import at a time (docs/import.md, "What it does"): held by the process that imports, and gone with it however it
// ends. It keeps no reader and no server out.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/files/descriptor.hpp"

namespace portail {

class FolderImportLock {
 public:
  // `folder` exists, and may have a file of that name for this alone. The error is one line: another import holds the
  // lock, or the lock file cannot be made.
  static std::expected<FolderImportLock, std::string> acquire(const std::filesystem::path& folder,
                                                              std::string_view name = "import.lock");

 private:
  explicit FolderImportLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace portail
