// What the tests of PostgreSQL share: one server for all that only need a table of their own, and a store with the log
// that it writes. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "native/stores/postgres/postgres_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/support/collecting_log.hpp"

namespace portail {

// Started by the first test that asks for it, and stopped with the program.
inline PostgresServer& shared_server() {
  static PostgresServer server;
  return server;
}

inline std::unique_ptr<PostgresStore> open_or_fail(const PostgresUrl& url) {
  auto store = PostgresStore::open(url, true);
  if (!store) ADD_FAILURE() << store.error();
  return store ? std::move(*store) : nullptr;
}

// In the shared server, with a table that nobody else has.
inline PostgresUrl url_of_a_new_table(const std::string& more = {}) {
  static int last = 0;
  return shared_server().url("?table=t" + std::to_string(++last) + more);
}

// Looks until it is so, for a minute at most.
inline void wait_until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_so()) ASSERT_LT(std::chrono::steady_clock::now(), end);
}

// As StoreClient, with a deadline and a log.
class LoggedPostgres {
 public:
  explicit LoggedPostgres(const PostgresUrl& url) : store(open_or_fail(url)) {}

  Result<std::unique_ptr<Session>> open() { return run_ready(store->open(context)); }
  Result<std::optional<std::string>> get(Session& session, std::string_view key) {
    Value value;
    if (auto got = run_ready(session.get(context, std::span(&key, 1), std::span(&value, 1))); !got) {
      return std::unexpected(got.error());
    }
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }
  Result<std::optional<std::string>> get(std::string_view key) {
    auto session = open();
    if (!session) return std::unexpected(session.error());
    return get(**session, key);
  }
  Result<void> put(std::string_view key, std::string_view value) {
    const Change change{key, value};
    return run_ready(store->write(context, std::span(&change, 1)));
  }
  Result<bool> swap(std::string_view key, Value expected, std::string_view desired) {
    return run_ready(store->compare_and_swap(context, key, expected, desired));
  }
  Result<void> scan(std::string_view prefix) {
    struct : Visitor {
      bool visit(std::string_view, std::string_view) override { return true; }
    } ignoring;
    return run_ready(store->scan(context, prefix, ignoring));
  }

  CollectingLog log;

 private:
  TestContext test_;

 public:
  std::unique_ptr<PostgresStore> store;
  Context context{test_.clock, test_.random, log, test_.frames};
};

}  // namespace portail
