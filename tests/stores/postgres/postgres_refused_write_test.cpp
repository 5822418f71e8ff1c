// Writes that the server rolls back, refuses as a standby, or does not confirm.
#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/postgres/postgres_url.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/postgres/postgres_server.hpp"

namespace portail {
namespace {

// Waits until a connection of the portal waits for a lock.
void wait_for_lock(const PostgresServer& server) {
  const std::string waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail' AND wait_event_type = 'Lock'";
  wait_until([&] { return server.sql(waiting) == "1\n"; });
}

// The write waits for a lock when its connection is closed: its outcome cannot be determined.
TEST(PostgresFailures, NeverRepeatAWrite) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(server.url("?table=once"));
  ASSERT_TRUE(store.put("k", "1"));
  Process holder = server.psql();
  holder.write_line("BEGIN; UPDATE once SET value = 'held' WHERE key = 'k'; \\echo held");
  ASSERT_EQ(holder.line(), "held");
  auto written = std::async(std::launch::async, [&store] { return store.put("k", "2"); });
  wait_for_lock(server);
  server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  EXPECT_EQ(written.get(), unavailable);
  holder.write_line("ROLLBACK; \\echo done");
  ASSERT_EQ(holder.line(), "done");
  EXPECT_EQ(store.get("k"), "1");
}

// Two writes that acquire the same locks in opposite order: the server aborts one of them, which is retried.
TEST(PostgresFailures, RetryAWriteThatTheServerRolledBack) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(server.url("?table=dead"));
  ASSERT_EQ(server.sql("INSERT INTO dead VALUES ('a', '1'), ('b', '1')"), "");
  Process holder = server.psql();
  holder.write_line(
      "SET deadlock_timeout = '1min'; BEGIN; UPDATE dead SET value = 'held' WHERE key = 'b'; \\echo held");
  ASSERT_EQ(holder.line(), "held");
  auto written = std::async(std::launch::async, [&store] {
    const Change changes[] = {{"a", "2"}, {"b", "2"}};
    return run_ready(store.store->write(store.context, changes));
  });
  wait_for_lock(server);
  holder.write_line("UPDATE dead SET value = 'held' WHERE key = 'a'; COMMIT; \\echo done");
  ASSERT_EQ(holder.line(), "done");
  EXPECT_TRUE(written.get());
  EXPECT_EQ(store.get("a"), "2");
  EXPECT_EQ(store.get("b"), "2");
}

// A sequence counts the attempts, since its numbers are not rolled back.
TEST(PostgresFailures, TryAWriteThatTheServerRollsBackTenTimes) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(server.url("?table=racing"));
  for (const std::string code : {"40001", "40P01"}) {
    ASSERT_EQ(server.sql("CREATE SEQUENCE attempts;"
                         "CREATE FUNCTION roll_back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                         " PERFORM nextval('attempts'); RAISE EXCEPTION 'lost a race' USING ERRCODE = '" +
                         code +
                         "'; END $$;"
                         "CREATE TRIGGER roll_back BEFORE INSERT ON racing FOR EACH ROW EXECUTE FUNCTION roll_back()"),
              "");
    EXPECT_EQ(store.put("k", "v"), unavailable);
    EXPECT_EQ(server.sql("SELECT last_value FROM attempts"), "10\n") << code;
    ASSERT_EQ(server.sql("DROP TRIGGER roll_back ON racing; DROP FUNCTION roll_back; DROP SEQUENCE attempts"), "");
  }
}

// A URL that allows any server. A session keeps the default of its login: that of the role changes the next one's.
TEST(PostgresFailures, ReportAReadOnlyStandbyUntilItAcceptsWrites) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(server.sql("CREATE ROLE reader LOGIN SUPERUSER"), "");
  LoggedPostgres store(server.url("?table=readonly", "reader"));
  ASSERT_TRUE(store.put("k", "1"));
  ASSERT_EQ(server.sql("ALTER ROLE reader SET default_transaction_read_only = on"), "");
  end_connections(server);
  const auto begin = std::chrono::steady_clock::now();
  std::string connected = connected_to(server);
  int changes = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(store.put("k", "2"), unavailable);
    EXPECT_EQ(store.get("k"), "1") << "reads continue";
    if (connected != std::exchange(connected, connected_to(server))) ++changes;
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(changes, 2 * (seconds + 1)) << "one connection ends and one begins, once a second";
  ASSERT_EQ(server.sql("BEGIN READ WRITE; ALTER ROLE reader RESET default_transaction_read_only; COMMIT"), "");
  wait_until([&store] { return store.put("k", "3").has_value(); });
  EXPECT_EQ(store.get("k"), "3");
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a write failed: " + server.name() +
                                                       ": cannot execute INSERT in a read-only transaction (25006)"}));
}

// The write that is tried when the store is opened fails, and leaves no transaction behind.
TEST(PostgresFailures, DoNotPreventReadsIfTheStoreIsOpenedOnAStandby) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(server.sql("CREATE ROLE visitor LOGIN SUPERUSER"), "");
  const postgres::Url url = server.url("?table=standby", "visitor");
  ASSERT_TRUE(LoggedPostgres(url).put("k", "v"));
  ASSERT_EQ(server.sql("ALTER ROLE visitor SET default_transaction_read_only = on"), "");
  LoggedPostgres store(url);
  EXPECT_EQ(store.get("k"), "v");
}

// The server rejects each write as a standby does, once its lock is free.
TEST(PostgresFailures, ReconnectOnceForAllWritesThatAStandbyRejected) {
  const PostgresServer server;
  LoggedPostgres store(server.url("?target_session_attrs=read-write"));
  ASSERT_EQ(server.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                       " PERFORM pg_advisory_xact_lock(NEW.key::int);"
                       " RAISE EXCEPTION 'no more' USING ERRCODE = '25006'; END $$;"
                       "CREATE TRIGGER refuse BEFORE INSERT ON portail FOR EACH ROW EXECUTE FUNCTION refuse()"),
            "");
  Process holder = server.psql();
  holder.write_line("SELECT pg_advisory_lock(1), pg_advisory_lock(2), 'held';");
  ASSERT_EQ(holder.line(), "||held");
  auto first = std::async(std::launch::async, [&store] { return StoreClient(*store.store).put("1", ""); });
  auto second = std::async(std::launch::async, [&store] { return StoreClient(*store.store).put("2", ""); });
  const std::string waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
  wait_until([&] { return server.sql(waiting) == "2\n"; });
  const std::string former = connected_to(server);
  holder.write_line("SELECT pg_advisory_unlock(1);");
  EXPECT_FALSE(first.get());
  EXPECT_TRUE(store.get("k"));
  wait_until([&] { return std::ranges::count(connected_to(server), '\n') == 2; });
  const std::string connected = connected_to(server);
  EXPECT_NE(connected, former) << "to a server that may take writes";
  holder.write_line("SELECT pg_advisory_unlock(2);");
  EXPECT_FALSE(second.get());
  EXPECT_TRUE(store.get("k"));
  wait_until([&] { return std::ranges::count(connected_to(server), '\n') == 1; });
  EXPECT_TRUE(connected.contains(connected_to(server))) << "the new connection is kept";
}

}  // namespace
}  // namespace portail
