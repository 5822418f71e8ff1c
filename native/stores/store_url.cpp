#include "native/stores/store_url.hpp"

#include <algorithm>
#include <array>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/storage/memory_store.hpp"
#include "native/stores/lmdb_store.hpp"

namespace portail {
namespace {

constexpr std::string_view supported = "this version supports memory: and lmdb:DIR";
constexpr std::array<std::string_view, 3> of_later_versions = {"dir", "redis", "rediss"};

}  // namespace

std::expected<StoreUrl, std::string> parse_store_url(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view scheme = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (colon != std::string_view::npos && scheme == "memory") {
    if (rest.empty()) return StoreUrl{};
    return std::unexpected("the store memory: takes nothing after the colon");
  }
  if (colon != std::string_view::npos && scheme == "lmdb") {
    if (!rest.empty()) return StoreUrl{.kind = StoreUrl::Kind::lmdb, .folder = rest};
    return std::unexpected("the store lmdb: needs a folder: lmdb:DIR");
  }
  if (colon != std::string_view::npos && std::ranges::contains(of_later_versions, scheme)) {
    return std::unexpected("the store " + std::string(scheme) + ": is not in this version: " + std::string(supported));
  }
  // What follows the colon may hold a password.
  return std::unexpected("unknown store " + std::string(scheme) + ": " + std::string(supported));
}

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_store(const StoreUrl& url, StoreAccess access) {
  if (url.kind == StoreUrl::Kind::memory) return std::make_unique<MemoryStore>();
  return LmdbStore::open(url.folder, {.create = access == StoreAccess::fill || access == StoreAccess::serve,
                                      .read_only = access == StoreAccess::read || access == StoreAccess::check,
                                      .check_every_page = access == StoreAccess::check,
                                      .gives_pages_back = access == StoreAccess::read || access == StoreAccess::fill});
}

std::expected<std::optional<ImportLock>, std::string> lock_for_import(const StoreUrl& url) {
  if (url.kind == StoreUrl::Kind::memory) return std::nullopt;
  auto lock = ImportLock::acquire(url.folder);
  if (!lock) return std::unexpected(lock.error());
  return std::optional<ImportLock>(std::move(*lock));
}

}  // namespace portail
