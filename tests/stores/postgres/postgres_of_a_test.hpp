// What the tests of PostgreSQL share: one server for all that only need a table of their own, and a store. One thread.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "native/stores/postgres/postgres_store.hpp"
#include "tests/stores/logged_store.hpp"
#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {

// Started by the first test that asks for it, and stopped with the program.
inline PostgresServer& shared_server() {
  static PostgresServer server;
  return server;
}

inline std::unique_ptr<PostgresStore> open_or_fail(const PostgresUrl& url) {
  return opened_or_failed(PostgresStore::open(url, StoreAccess::create));
}

// In the shared server, with a table that nobody else has.
inline PostgresUrl url_of_a_new_table(const std::string& more = {}) {
  static int last = 0;
  return shared_server().url("?table=t" + std::to_string(++last) + more);
}

struct LoggedPostgres : LoggedStore {
  explicit LoggedPostgres(const PostgresUrl& url) : LoggedStore(open_or_fail(url)) {}
};

}  // namespace portail
