// spin-sqlite:FILE[?label=LABEL], the file in which Spin keeps key-value stores, by the label of one of them
// (`default`): the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

std::expected<void, std::string> check_spin_sqlite(std::string_view place);
std::string_view file_of_spin_sqlite(std::string_view place);
OpenedStore open_spin_sqlite(std::string_view place, StoreAccess access);
std::expected<HeldImportLock, std::string> lock_spin_sqlite(std::string_view place);

}  // namespace portail
