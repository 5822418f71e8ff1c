// redis://HOST, a server for several machines: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

std::expected<void, std::string> check_redis(std::string_view place);
OpenedStore open_redis(std::string_view place, StoreAccess access);
std::expected<HeldImportLock, std::string> lock_redis(std::string_view place);
PoolCounts pool_of_redis(KeyValueStore& store);

}  // namespace portail
