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
#include "core/files/folder_store.hpp"
#include "native/stores/lmdb_store.hpp"
#include "native/stores/redis/redis_store.hpp"

namespace portail {
namespace {

constexpr std::string_view supported = "this version supports memory:, lmdb:DIR, dir:DIR and redis://HOST";
constexpr std::array<std::string_view, 1> of_later_versions = {"rediss"};

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
  if (colon != std::string_view::npos && scheme == "dir") {
    if (!rest.empty()) return StoreUrl{.kind = StoreUrl::Kind::dir, .folder = rest};
    return std::unexpected("the store dir: needs a folder: dir:DIR");
  }
  if (colon != std::string_view::npos && scheme == "redis") {
    auto redis = parse_redis_url(rest);
    if (!redis) return std::unexpected(redis.error());
    return StoreUrl{.kind = StoreUrl::Kind::redis, .redis = std::move(*redis)};
  }
  if (colon != std::string_view::npos && std::ranges::contains(of_later_versions, scheme)) {
    return std::unexpected("the store " + std::string(scheme) + ": is not in this version: " + std::string(supported));
  }
  // What follows the colon may hold a password.
  return std::unexpected("unknown store " + std::string(scheme) + ": " + std::string(supported));
}

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_store(const StoreUrl& url, StoreAccess access) {
  if (url.kind == StoreUrl::Kind::memory) return std::make_unique<MemoryStore>();
  if (url.kind == StoreUrl::Kind::redis) return RedisStore::open(url.redis);
  const bool writes = access == StoreAccess::fill || access == StoreAccess::serve;
  if (url.kind == StoreUrl::Kind::dir) {
    return FolderStore::open(
        url.folder.string(),
        {.create = writes, .read_only = !writes, .check_every_file = access == StoreAccess::check});
  }
  return LmdbStore::open(url.folder, {.create = writes,
                                      .read_only = !writes,
                                      .check_every_page = access == StoreAccess::check,
                                      .gives_pages_back = access == StoreAccess::read || access == StoreAccess::fill});
}

std::expected<std::optional<HeldImportLock>, std::string> lock_for_import(const StoreUrl& url) {
  if (url.kind == StoreUrl::Kind::memory) return std::nullopt;
  if (url.kind == StoreUrl::Kind::redis) {
    auto lock = RedisImportLock::acquire(url.redis);
    if (!lock) return std::unexpected(lock.error());
    return std::optional<HeldImportLock>(std::move(*lock));
  }
  // In a dir: store, import.lock would be a key.
  auto lock = url.kind == StoreUrl::Kind::dir ? ImportLock::acquire(url.folder, "~import.lock")
                                              : ImportLock::acquire(url.folder);
  if (!lock) return std::unexpected(lock.error());
  return std::optional<HeldImportLock>(std::move(*lock));
}

}  // namespace portail
