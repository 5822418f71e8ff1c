// memory:, for a trial: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

std::expected<void, std::string> check_memory(std::string_view place);
OpenedStore open_memory(std::string_view place, StoreAccess access);
std::expected<HeldImportLock, std::string> lock_memory(std::string_view place);

}  // namespace portail
