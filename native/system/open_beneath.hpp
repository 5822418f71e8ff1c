// Opens files that must lie beneath a directory, also while another process replaces directories by links. Any thread,
// any process.
#pragma once

#include <expected>
#include <string_view>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Opens the file `path`, relative to the open directory, for reading; never blocks, whatever kind of file it is.
// Symbolic links are followed if they are relative and stay beneath the directory. The error is an errno: EXDEV if the
// path leads out.
std::expected<Descriptor, int> open_beneath(int folder, std::string_view path);

// The same, one segment after the other, for systems without openat2 or that forbid it.
std::expected<Descriptor, int> walk_beneath(int folder, std::string_view path);

}  // namespace portail
