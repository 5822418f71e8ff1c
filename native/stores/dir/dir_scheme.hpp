// dir:DIR, one file a key: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

OpenedStore open_dir(std::string_view folder, StoreAccess access);
std::expected<bool, std::string> is_dir_shared(KeyValueStore& store);
std::expected<HeldImportLock, std::string> lock_dir(std::string_view folder);

}  // namespace portail
