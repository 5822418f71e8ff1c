// spin-sqlite:FILE[?label=LABEL], one of the key-value stores in a file of Spin, selected by its label (default:
// `default`): the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail::spin_sqlite {

std::expected<void, std::string> check_location(std::string_view location);
std::string_view file_of(std::string_view location);
OpenedStore open_store(std::string_view location, StoreAccess access);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location);

}  // namespace portail::spin_sqlite
