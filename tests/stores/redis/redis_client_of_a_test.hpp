// A Redis store with the log that it writes. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/support/collecting_log.hpp"

namespace portail {

inline std::unique_ptr<RedisStore> open_or_fail(const RedisUrl& url) {
  auto store = RedisStore::open(url);
  if (!store) ADD_FAILURE() << store.error();
  return store ? std::move(*store) : nullptr;
}

// As StoreClient, with a deadline and a log.
class LoggedStore {
 public:
  explicit LoggedStore(const RedisUrl& url) : store_(open_or_fail(url)) {}

  Result<std::optional<std::string>> get(std::string_view key) {
    auto session = run_ready(store_->open(context));
    Value value;
    if (auto got = run_ready((*session)->get(context, std::span(&key, 1), std::span(&value, 1))); !got) {
      return std::unexpected(got.error());
    }
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }
  Result<void> put(std::string_view key, std::string_view value) {
    const Change change{key, value};
    return run_ready(store_->write(context, std::span(&change, 1)));
  }
  Result<bool> swap(std::string_view key, Value expected, std::string_view desired) {
    return run_ready(store_->compare_and_swap(context, key, expected, desired));
  }
  Result<void> scan(std::string_view prefix) {
    struct : Visitor {
      bool visit(std::string_view, std::string_view) override { return true; }
    } ignoring;
    return run_ready(store_->scan(context, prefix, ignoring));
  }

  CollectingLog log;

 private:
  TestContext test_;
  std::unique_ptr<RedisStore> store_;

 public:
  Context context{test_.clock, test_.random, log, test_.frames};
};

}  // namespace portail
