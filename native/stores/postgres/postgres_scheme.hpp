// postgres://HOST/DATABASE, a server for several machines: the functions of its row in native/stores/store_url.cpp.
#pragma once

#include "native/stores/store_scheme.hpp"

namespace portail::postgres {

std::expected<void, std::string> check_location(std::string_view location);
OpenedStore open_store(std::string_view location, StoreAccess access);
std::vector<StoreWarning> find_warnings(std::string_view location);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location);
bool holds_import_lock(const HeldImportLock& lock);
std::optional<std::string> display_name(std::string_view location);
PoolCounts pool_counts(KeyValueStore& store);

}  // namespace portail::postgres
