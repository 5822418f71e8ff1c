// redis://HOST, a server for several machines, and its kin (by TLS, by way of sentinels): the functions of their rows
// in native/stores/store_url.cpp.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "native/stores/redis/redis_import_lock.hpp"
#include "native/stores/redis/redis_store.hpp"
#include "native/stores/redis/redis_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail {

template <RedisScheme scheme>
std::expected<void, std::string> check_redis(std::string_view place) {
  return parse_redis_url(place, scheme).transform([](const RedisUrl&) {});
}

template <RedisScheme scheme>
OpenedStore open_redis(std::string_view place, StoreAccess) {
  return parse_redis_url(place, scheme).and_then([](const RedisUrl& url) -> OpenedStore {
    return RedisStore::open(url);
  });
}

template <RedisScheme scheme>
std::expected<HeldImportLock, std::string> lock_redis(std::string_view place) {
  auto lock =
      parse_redis_url(place, scheme).and_then([](const RedisUrl& url) { return RedisImportLock::acquire(url); });
  return std::move(lock).transform(
      [](RedisImportLock held) { return std::make_shared<RedisImportLock>(std::move(held)); });
}

inline PoolCounts pool_of_redis(KeyValueStore& store) { return static_cast<RedisStore&>(store).pool(); }

}  // namespace portail
