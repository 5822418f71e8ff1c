#include "native/stores/memory/memory_scheme.hpp"

#include "core/storage/memory_store.hpp"

namespace portail::memory {

std::expected<void, std::string> check_location(std::string_view location) {
  if (location.empty()) return {};
  return std::unexpected("the store memory: must have nothing after the colon");
}

OpenedStore open_store(std::string_view, StoreAccess) { return std::make_unique<MemoryStore>(); }

std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view) { return nullptr; }

}  // namespace portail::memory
