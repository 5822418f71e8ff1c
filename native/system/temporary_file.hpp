// Files without a name, which disappear with their last descriptor. Any thread.
#pragma once

#include <expected>
#include <string>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Returns the folder of temporary files: that of TMPDIR; if it is unset, `otherwise`; if that is empty, /tmp.
std::string temporary_folder(const std::string& otherwise = {});

// Creates a file in the folder, on its file system. The error is a message.
std::expected<Descriptor, std::string> create_temporary_file(const std::string& folder);

// Returns why the folder cannot be written to; `error` is an errno.
std::string folder_fault(const std::string& folder, int error);

}  // namespace portail
