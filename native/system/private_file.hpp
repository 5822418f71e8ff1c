// Opens files that the program appends personal data to. Any thread.
#pragma once

#include <expected>
#include <string>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Opens a file for appending, with O_WRONLY or O_RDWR; creates it if it is missing. No other user may read it from then
// on: its mode becomes 0600. A link is not followed. A file of another user (for root: neither its own nor of
// the owner of its folder), one with further names, and a pipe are
// refused; a device is not. The error is a phrase.
std::expected<Descriptor, std::string> open_private_file(const std::string& path, int access);

}  // namespace portail
