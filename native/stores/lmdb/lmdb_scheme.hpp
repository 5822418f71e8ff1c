// lmdb:DIR, the embedded store: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

OpenedStore open_lmdb(std::string_view folder, StoreAccess access);
std::expected<HeldImportLock, std::string> lock_lmdb(std::string_view folder);

}  // namespace portail
