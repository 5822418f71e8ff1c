// Reads values out of the folder, and keeps them. One thread at a time.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <vector>

#include "core/files/file_names.hpp"
#include "core/files/folder_fault.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class ValueFiles {
 public:
  // Returns the value in the file of that name in `folder`, nullopt if there is no such file. What is in the place of
  // a value and is no regular file is Failure::corrupt, without waiting for it (open_file.hpp). A file that another
  // program changes in place meanwhile is read as far as its size was when it was opened. The view lives as long as
  // this object.
  std::expected<Value, FolderFault> read(int folder, const FileName& name);

 private:
  // Makes room for `size` bytes.
  void make_room(std::size_t size);

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // in the last block
  std::size_t left_ = 0;  // bytes that may be filled from there on
};

}  // namespace portail
