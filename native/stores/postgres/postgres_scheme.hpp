// postgres://HOST/DATABASE, a server for several machines: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail {

std::expected<void, std::string> check_postgres(std::string_view place);
OpenedStore open_postgres(std::string_view place, StoreAccess access);
std::expected<void, std::string> try_to_write_postgres(std::string_view place);
std::expected<HeldImportLock, std::string> lock_postgres(std::string_view place);
bool holds_postgres(const HeldImportLock& lock);
std::optional<std::string> name_of_postgres(std::string_view place);
PoolCounts pool_of_postgres(KeyValueStore& store);

}  // namespace portail
