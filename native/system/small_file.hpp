// Reads small files, and creates private ones.
#pragma once

#include <cstddef>
#include <expected>
#include <string>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Reads small files, such as key sets. Any thread.

// Whether `file` may be the content instead of a path: it neither begins like a path nor ends like the name of a file
// ("server.pem"), and no such file exists. Then it may be a secret, and no message repeats it.
bool may_be_content(const std::string& file);

// Returns the content of a file of at most `max_mebibytes`. The error is a line for the operator. It names the file,
// unless that may be its content, and `setting`.
std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& setting,
                                                        std::size_t max_mebibytes = 1);

// Opens files that the program appends personal data to. Any thread.

// Opens a file for appending, with O_WRONLY or O_RDWR; creates it if it is missing. No other user may read it from then
// on: its mode becomes 0600. A link is not followed. A file of another user (for root: neither its own nor of
// the owner of its folder), one with further names, and a pipe are
// refused; a device is not. The error is a phrase.
std::expected<Descriptor, std::string> open_private_file(const std::string& path, int access);

}  // namespace portail
