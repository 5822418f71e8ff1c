#include "native/stores/dir/dir_scheme.hpp"

#include <filesystem>

#include "core/files/folder_store.hpp"
#include "native/stores/folder_import_lock.hpp"

namespace portail {

OpenedStore open_dir(std::string_view folder, StoreAccess access) {
  const bool writes = access != StoreAccess::read && access != StoreAccess::check;
  std::error_code ignored;  // opening says what is wrong
  const bool may_be_made = access != StoreAccess::serve || std::filesystem::exists(folder, ignored);
  return FolderStore::open(
      std::string(folder),
      {.create = writes && may_be_made, .read_only = !writes, .check_every_file = access == StoreAccess::check});
}

std::expected<HeldImportLock, std::string> lock_dir(std::string_view folder) {
  // Without the '~' it would be a key.
  return lock_folder_for_import(folder, "~import.lock");
}

}  // namespace portail
