// Opening a file of the folder to read it. Two calls of a component's host. Any thread.
#pragma once

#include <cstdint>
#include <expected>

#include "core/files/descriptor.hpp"

namespace portail {

struct OpenFile {
  Descriptor file;
  std::uint64_t size;  // bytes, as the file system states it at this moment
};

// Opens the regular file `name` of `folder`. Symbolic links are not followed, and no call waits for a peer: not for the
// writer of a FIFO. The error is an errno: EISDIR for a directory, ELOOP for a symbolic link, ENXIO for anything else
// that is no regular file.
//
// A host of components has no way to open a FIFO without waiting, so there the type is checked before. If another
// process puts a FIFO there between the two calls, the second one waits.
std::expected<OpenFile, int> open_file(int folder, const char* name);

}  // namespace portail
