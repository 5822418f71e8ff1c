// What is in a folder. Any thread.
#pragma once

#include <expected>
#include <functional>
#include <string_view>

#include "core/files/folder_fault.hpp"

namespace portail {

// Calls `visit` with each name in the folder `path`, relative to the folder `parent`, in no order and without "." and
// "..", until it returns false.
std::expected<void, FolderFault> list_folder(int parent, const char* path,
                                             const std::function<bool(std::string_view)>& visit);

}  // namespace portail
