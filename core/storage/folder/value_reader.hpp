// Reads values from files, and owns their memory. One thread at a time.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <vector>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/folder_fault.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class ValueReader {
 public:
  // Returns the content of the file `name` in `folder`; nullopt if it does not exist. A file that is not regular is
  // Failure::corrupt (open_file.hpp). If another program appends to the file, only its size at opening is read,
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
