// Opens stores for the tests of Redis. One thread.
#pragma once

#include <memory>
#include <string>

#include "native/stores/redis/redis_store.hpp"
#include "tests/stores/logged_store.hpp"

namespace portail {

inline std::unique_ptr<redis::Store> open_or_fail(const redis::Url& url) {
  return opened_or_failed(redis::Store::open(url));
}

// Returns the error of opening the store; empty if it succeeds.
inline std::string opening_error_of(const redis::Url& url) {
  const auto store = redis::Store::open(url);
  return store ? std::string() : store.error();
}

struct LoggedRedis : LoggedStore {
  explicit LoggedRedis(const redis::Url& url) : LoggedStore(open_or_fail(url)) {}
};

}  // namespace portail
