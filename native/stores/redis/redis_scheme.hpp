// redis://HOST, a server for several machines, and rediss://HOST, the same by TLS: the functions of their rows in
// native/stores/store_url.cpp.
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

template <bool tls>
std::expected<void, std::string> check_redis(std::string_view place) {
  return parse_redis_url(place, tls).transform([](const RedisUrl&) {});
}

template <bool tls>
OpenedStore open_redis(std::string_view place, StoreAccess) {
  return parse_redis_url(place, tls).and_then([](const RedisUrl& url) -> OpenedStore { return RedisStore::open(url); });
}

template <bool tls>
std::expected<HeldImportLock, std::string> lock_redis(std::string_view place) {
  auto lock = parse_redis_url(place, tls).and_then([](const RedisUrl& url) { return RedisImportLock::acquire(url); });
  return std::move(lock).transform(
      [](RedisImportLock held) { return std::make_shared<RedisImportLock>(std::move(held)); });
}

inline PoolCounts pool_of_redis(KeyValueStore& store) { return static_cast<RedisStore&>(store).pool(); }

}  // namespace portail
