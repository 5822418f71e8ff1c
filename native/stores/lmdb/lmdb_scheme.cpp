#include "native/stores/lmdb/lmdb_scheme.hpp"

#include "native/stores/folder_import_lock.hpp"
#include "native/stores/lmdb/lmdb_copy.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"

namespace portail {

OpenedStore open_lmdb(std::string_view folder, StoreAccess access) {
  const bool writes = access != StoreAccess::read && access != StoreAccess::check;
  return LmdbStore::open(folder, {.create = access == StoreAccess::fill || access == StoreAccess::create,
                                  .read_only = !writes,
                                  .gives_pages_back = !writes || access == StoreAccess::fill});
}

std::expected<void, std::string> copy_lmdb_folder(std::string_view from, std::string_view to) {
  return copy_lmdb(from, to);
}

std::expected<bool, std::string> is_lmdb_shared(KeyValueStore& store) {
  return static_cast<LmdbStore&>(store).is_shared();
}

std::expected<HeldImportLock, std::string> lock_lmdb(std::string_view folder) { return lock_folder_for_import(folder); }

}  // namespace portail
