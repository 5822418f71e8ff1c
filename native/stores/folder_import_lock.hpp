// One import at a time (docs/how-to/import.md, "What it does"): held by the process that imports, and gone with it
// however it ends. It keeps no reader and no server out.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "native/stores/store_scheme.hpp"

namespace portail {

// `folder` exists, and may have a file of that name for this alone. The error is one line: another import holds the
// lock, or the lock file cannot be made.
std::expected<HeldImportLock, std::string> lock_folder_for_import(const std::filesystem::path& folder,
                                                                  std::string_view name = "import.lock");

// Whether the lock's file is still the one of that name: another import would lock a file that took its place.
[[nodiscard]] bool holds_folder(const HeldImportLock& lock);

}  // namespace portail
