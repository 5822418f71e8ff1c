// redis://HOST, a server for several machines, and its kin (by TLS, by way of sentinels): the functions of their rows
// in native/stores/store_url.cpp.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "native/stores/redis/redis_import_lock.hpp"
#include "native/stores/redis/redis_store.hpp"
#include "native/stores/redis/redis_trial.hpp"
#include "native/stores/redis/redis_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail {

template <RedisScheme scheme>
std::expected<void, std::string> check_redis(std::string_view place) {
  return parse_redis_url(place, scheme).transform([](const RedisUrl&) {});
}

template <RedisScheme scheme>
OpenedStore open_redis(std::string_view place, StoreAccess access) {
  return parse_redis_url(place, scheme).and_then([access](const RedisUrl& url) -> OpenedStore {
    // Reads, and a portal that serves, go on over a replica; every other use fails with an error.
    const bool has_to_take_writes = access != StoreAccess::read && access != StoreAccess::serve;
    auto store = RedisStore::open(url);
    if (!store || !has_to_take_writes) return store;
    if (auto tried = try_to_write(url); !tried) {
      return std::unexpected(url.name() + " cannot be used: " + tried.error().text);
    }
    return store;
  });
}

template <RedisScheme scheme>
std::expected<void, std::string> try_to_write_redis(std::string_view place) {
  return parse_redis_url(place, scheme).and_then([](const RedisUrl& url) {
    return try_to_write(url).transform_error(
        [&url](const RedisFault& fault) { return url.name() + ": " + fault.text; });
  });
}

template <RedisScheme scheme>
std::expected<HeldImportLock, std::string> lock_redis(std::string_view place) {
  auto lock =
      parse_redis_url(place, scheme).and_then([](const RedisUrl& url) { return RedisImportLock::acquire(url); });
  return std::move(lock).transform(
      [](RedisImportLock held) { return std::make_shared<RedisImportLock>(std::move(held)); });
}

template <RedisScheme scheme>
std::optional<std::string> name_of_redis(std::string_view place) {
  const auto url = parse_redis_url(place, scheme);
  return url ? std::optional(url->name()) : std::nullopt;
}

inline bool holds_redis(const HeldImportLock& lock) { return static_cast<RedisImportLock*>(lock.get())->is_held(); }

inline PoolCounts pool_of_redis(KeyValueStore& store) { return static_cast<RedisStore&>(store).pool(); }

}  // namespace portail
