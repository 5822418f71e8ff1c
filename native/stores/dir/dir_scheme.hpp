// dir:DIR, with one file for each key: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail::dir {

OpenedStore open_store(std::string_view folder, StoreAccess access);
std::expected<bool, std::string> is_shared(KeyValueStore& store);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view folder);
CacheCounts cache_counts(KeyValueStore& store);

}  // namespace portail::dir
