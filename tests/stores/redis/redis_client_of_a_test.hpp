// What the tests of Redis share: a store of a test's own. One thread.
#pragma once

#include <memory>
#include <string>

#include "native/stores/redis/redis_store.hpp"
#include "tests/stores/logged_store.hpp"

namespace portail {

inline std::unique_ptr<RedisStore> open_or_fail(const RedisUrl& url) { return opened_or_failed(RedisStore::open(url)); }

// What opening says; empty where it succeeds.
inline std::string refusal_of(const RedisUrl& url) {
  const auto store = RedisStore::open(url);
  return store ? std::string() : store.error();
}

struct LoggedRedis : LoggedStore {
  explicit LoggedRedis(const RedisUrl& url) : LoggedStore(open_or_fail(url)) {}
};

}  // namespace portail
