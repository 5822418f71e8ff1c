// lmdb:DIR, the embedded store: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail::lmdb {

OpenedStore open_store(std::string_view folder, StoreAccess access);
std::expected<void, std::string> copy_location(std::string_view from, std::string_view to);
std::expected<bool, std::string> is_shared(KeyValueStore& store);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view folder);

}  // namespace portail::lmdb
