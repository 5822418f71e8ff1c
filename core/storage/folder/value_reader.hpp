// Reads files of the folder. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include "core/storage/folder/descriptor.hpp"
#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/folder_check.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Opens a file of the folder for reading, by two calls of a component's host. Any thread.

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

// Reads values from files, and owns their memory. One thread at a time.

class ValueReader {
 public:
  // Returns the content of the file `name` in `folder`; nullopt if it does not exist. A file that is not regular is
  // Failure::corrupt (open_file). If another program appends to the file, only its size at opening is read,
  // in WASI perhaps more. The view lives as long as this object.
  std::expected<Value, FolderFault> read(int folder, const FileName& name);

 private:
  void add_block(std::size_t size) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    free_ = blocks_.back().get();
    remaining_ = size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;       // the free part of the last block
  std::size_t remaining_ = 0;  // bytes from free_
};

}  // namespace portail
