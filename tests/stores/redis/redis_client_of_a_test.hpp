// A Redis store of a test. One thread.
#pragma once

#include <memory>

#include "native/stores/redis/redis_store.hpp"
#include "tests/stores/logged_store.hpp"

namespace portail {

inline std::unique_ptr<RedisStore> open_or_fail(const RedisUrl& url) { return opened_or_failed(RedisStore::open(url)); }

struct LoggedRedis : LoggedStore {
  explicit LoggedRedis(const RedisUrl& url) : LoggedStore(open_or_fail(url)) {}
};

}  // namespace portail
