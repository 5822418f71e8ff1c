// Lists folders. Any thread.
#pragma once

#include <expected>
#include <functional>
#include <string_view>

#include "core/files/folder_fault.hpp"

namespace portail {

// Calls `visit` with each name in the folder `path`, relative to the folder `parent`, until it returns false. The order
// is unspecified; "." and ".." are omitted.
std::expected<void, FolderFault> list_folder(int parent, const char* path,
                                             const std::function<bool(std::string_view)>& visit);

}  // namespace portail
