#include "native/stores/lmdb/lmdb_scheme.hpp"

#include "native/stores/folder_import_lock.hpp"
#include "native/stores/lmdb/lmdb_copy.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"

namespace portail::lmdb {

OpenedStore open_store(std::string_view folder, StoreAccess access) {
  const bool writes = access != StoreAccess::read && access != StoreAccess::check;
  return Store::open(folder, {.create = access == StoreAccess::fill || access == StoreAccess::create,
                              .read_only = !writes,
                              .releases_pages = !writes || access == StoreAccess::fill});
}

std::expected<void, std::string> copy_location(std::string_view from, std::string_view to) {
  return copy_store(from, to);
}

std::expected<bool, std::string> is_shared(KeyValueStore& store) { return static_cast<Store&>(store).is_shared(); }

std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view folder) {
  return acquire_folder_import_lock(folder);
}

}  // namespace portail::lmdb
