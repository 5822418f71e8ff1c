// A server that the tests of PostgreSQL share, each with a table of its own, and stores in it. One thread.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "native/stores/postgres/postgres_store.hpp"
#include "tests/stores/logged_store.hpp"
#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {

// Starts the server at the first call; it stops with the program.
inline PostgresServer& shared_server() {
  static PostgresServer server;
  return server;
}

inline std::unique_ptr<postgres::Store> open_or_fail(const postgres::Url& url) {
  return opened_or_failed(postgres::Store::open(url, StoreAccess::create));
}

// Returns the URL of a new table in the shared server.
inline postgres::Url url_of_a_new_table(const std::string& more = {}) {
  static int last = 0;
  return shared_server().url("?table=t" + std::to_string(++last) + more);
}

struct LoggedPostgres : LoggedStore {
  explicit LoggedPostgres(const postgres::Url& url) : LoggedStore(open_or_fail(url)) {}
};

// Terminates all connections of the portal to the shared server, and waits until they are closed.
inline void end_connections(const PostgresServer& server) {
  server.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'portail'");
  wait_until([&server] {
    return server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail'") == "0\n";
  });
}

}  // namespace portail
