// The lock that allows one import at a time into a folder (docs/how-to/import.md, "What it does"). The importing
// process holds it, and it ends with that process. It does not block readers and servers.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "native/stores/store_scheme.hpp"

namespace portail {

// Locks the file `name` in `folder`, which must exist. The file is for this lock only. The error is one line: another
// import holds the lock, or the file cannot be created.
std::expected<HeldImportLock, std::string> acquire_folder_import_lock(const std::filesystem::path& folder,
                                                                      std::string_view name = "import.lock");

// Returns whether the locked file is still the one of that name: another import would lock a file that replaced it.
[[nodiscard]] bool holds_folder_import_lock(const HeldImportLock& lock);

}  // namespace portail
