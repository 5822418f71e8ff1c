// Opening a file that must lie beneath a folder, whatever becomes of the folder meanwhile: where a directory is
// exchanged for a link, the file that is opened is one beneath, or none. Any thread, any process.
#pragma once

#include <expected>
#include <string_view>

#include "core/files/descriptor.hpp"

namespace portail {

// The file `path`, relative to the open folder, to read; whatever kind of file it is, this does not wait for it.
// Symbolic links are followed where they stay beneath the folder: relative ones, whose ".." do not climb out of it. The
// error is an errno, EXDEV where the path leads out.
std::expected<Descriptor, int> open_beneath(int folder, std::string_view path);

// The same by a walk from folder to folder, for systems that have no openat2 or forbid it.
std::expected<Descriptor, int> walk_beneath(int folder, std::string_view path);

}  // namespace portail
