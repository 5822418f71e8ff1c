// memory:, for trials: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail::memory {

std::expected<void, std::string> check_location(std::string_view location);
OpenedStore open_store(std::string_view location, StoreAccess access);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location);

}  // namespace portail::memory
