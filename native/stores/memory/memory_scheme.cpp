#include "native/stores/memory/memory_scheme.hpp"

#include "core/storage/memory_store.hpp"

namespace portail {

std::expected<void, std::string> check_memory(std::string_view place) {
  if (place.empty()) return {};
  return std::unexpected("the store memory: takes nothing after the colon");
}

OpenedStore open_memory(std::string_view, StoreAccess) { return std::make_unique<MemoryStore>(); }

std::expected<HeldImportLock, std::string> lock_memory(std::string_view) { return nullptr; }

}  // namespace portail
