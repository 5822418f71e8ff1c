#include "native/stores/dir/dir_scheme.hpp"

#include <cerrno>
#include <cstring>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "core/files/file_names.hpp"
#include "core/files/folder_store.hpp"
#include "native/stores/dir/placed_folder_store.hpp"
#include "native/stores/folder_import_lock.hpp"
#include "native/stores/folder_use.hpp"

namespace portail {
namespace {

std::unexpected<std::string> cannot_be_locked(std::string_view folder, int code) {
  return std::unexpected(std::string(folder) + " cannot be locked: " + std::strerror(code));
}

}  // namespace

OpenedStore open_dir(std::string_view folder, StoreAccess access) {
  const bool writes = access != StoreAccess::read && access != StoreAccess::check;
  std::error_code ignored;  // opening says what is wrong
  const bool may_be_made = access != StoreAccess::serve || std::filesystem::exists(folder, ignored);
  auto store = FolderStore::open(
      std::string(folder),
      {.create = writes && may_be_made, .read_only = !writes, .check_every_file = access == StoreAccess::check});
  if (!store) return std::unexpected(store.error());
  if (const int code = use_folder((*store)->folder())) return cannot_be_locked(folder, code);
  struct stat opened{};
  if (fstat((*store)->folder(), &opened) != 0) return cannot_be_locked(folder, errno);
  return std::make_unique<PlacedFolderStore>(std::move(*store), std::string(folder), opened);
}

std::expected<bool, std::string> is_dir_shared(KeyValueStore& store) {
  const auto used = is_folder_used(static_cast<PlacedFolderStore&>(store).folder());
  if (!used) return cannot_be_locked("the folder", used.error());
  return *used;
}

std::expected<HeldImportLock, std::string> lock_dir(std::string_view folder) {
  return lock_folder_for_import(folder, import_lock_name);
}

}  // namespace portail
