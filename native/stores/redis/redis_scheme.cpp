#include "native/stores/redis/redis_scheme.hpp"

#include "native/stores/redis/redis_import_lock.hpp"
#include "native/stores/redis/redis_store.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

std::expected<void, std::string> check_redis(std::string_view place) {
  return parse_redis_url(place).transform([](const RedisUrl&) {});
}

OpenedStore open_redis(std::string_view place, StoreAccess) {
  return parse_redis_url(place).and_then([](const RedisUrl& url) -> OpenedStore { return RedisStore::open(url); });
}

std::expected<HeldImportLock, std::string> lock_redis(std::string_view place) {
  auto lock = parse_redis_url(place).and_then([](const RedisUrl& url) { return RedisImportLock::acquire(url); });
  return std::move(lock).transform(
      [](RedisImportLock held) { return std::make_shared<RedisImportLock>(std::move(held)); });
}

PoolCounts pool_of_redis(KeyValueStore& store) { return static_cast<RedisStore&>(store).pool(); }

}  // namespace portail
