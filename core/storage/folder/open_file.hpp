// Opens a file of the folder for reading, by two calls of a component's host. Any thread.
#pragma once

#include <cstdint>
#include <expected>

#include "core/storage/folder/descriptor.hpp"
#include "core/storage/folder/file_error.hpp"

namespace portail {

struct OpenFile {
  Descriptor file;
  std::uint64_t size;  // in bytes
  // Whether another writer may have replaced the file between the stat, from which `size` is, and the opening.
  bool is_replaceable = false;
};

// Opens the regular file `name` of `folder`. Symbolic links are not followed, and a FIFO does not block. The error is
// an errno: EISDIR for a directory, ELOOP for a symbolic link, ENXIO for any other file that is not regular.
//
// WASI hosts cannot open a FIFO without blocking, so there the type is checked first, by name. If another process
// creates a FIFO between the two calls, the second one blocks.
std::expected<OpenFile, FileError> open_file(int folder, const char* name);

}  // namespace portail
