// lmdb:DIR, the embedded store: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

OpenedStore open_lmdb(std::string_view folder, StoreAccess access);
std::expected<void, std::string> copy_lmdb_folder(std::string_view from, std::string_view to);
std::expected<bool, std::string> is_lmdb_shared(KeyValueStore& store);
std::expected<HeldImportLock, std::string> lock_lmdb(std::string_view folder);

}  // namespace portail
