// Connections that are lost, and servers that stop or do not respond.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "tests/stores/connections.hpp"
#include "tests/stores/postgres/postgres_server.hpp"

namespace portail {
namespace {

std::string reads_of(const std::string& table) {
  return "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail' AND query ILIKE '%" + table + "%'";
}

TEST(PostgresFailures, DoNotOccurIfTheServerClosesIdleConnections) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(url_of_a_new_table());
  ASSERT_TRUE(store.put("k", "1"));
  end_connections(server);
  EXPECT_EQ(store.get("k"), "1");
  end_connections(server);
  EXPECT_TRUE(store.put("k", "2"));
  end_connections(server);
  EXPECT_EQ(store.swap("k", "2", "3"), true);
  EXPECT_TRUE(store.log.lines.empty());
}

// A role with one connection: attempts to open another one fail, and each delays the next one, by at most 1 s.
TEST(PostgresFailures, DoNotOccurIfTheConnectionIsLostAfterAnotherOneWasRejected) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(server.sql("CREATE ROLE single LOGIN; GRANT ALL ON SCHEMA public TO single"), "");
  LoggedPostgres store(server.url("?table=single", "single"));
  ASSERT_TRUE(store.put("k", "1"));
  ASSERT_EQ(server.sql("ALTER ROLE single CONNECTION LIMIT 1"), "");
  auto session = store.open();
  ASSERT_TRUE(session);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  do {
    EXPECT_EQ(store.get("k"), unavailable);
  } while (std::chrono::steady_clock::now() < end);
  ASSERT_EQ(store.log.lines.size(), 1U);
  EXPECT_TRUE(store.log.lines[0].contains("too many connections for role")) << store.log.lines[0];
  session->reset();
  EXPECT_EQ(store.get("k"), "1");
  end_connections(server);
  EXPECT_EQ(store.get("k"), "1");
}

// libpq closes the socket of a lost connection. While another process also has it open, such as one that was just
// forked, the kernel keeps reporting its events.
TEST(PostgresFailures, EndThoughAnotherProcessHasTheSocketOfTheConnection) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(url_of_a_new_table());
  ASSERT_TRUE(store.put("k", "1"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t other = fork();
  if (other == 0) {
    char none = 0;
    close(ends[1]);
    _exit(read(ends[0], &none, 1) == 0 ? 0 : 1);
  }
  close(ends[0]);
  end_connections(server);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(store.get("k"), "1");
  close(ends[1]);
  int status = -1;
  EXPECT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

TEST(PostgresFailures, EndASessionWhoseConnectionIsLost) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(url_of_a_new_table());
  ASSERT_TRUE(store.put("k", "1"));
  auto session = store.open();
  ASSERT_TRUE(session);
  end_connections(server);
  EXPECT_EQ(store.get(**session, "k"), unavailable) << "another connection would see another state";
  EXPECT_EQ(store.log.lines.size(), 1U);
  EXPECT_EQ(store.get("k"), "1");
}

TEST(PostgresFailures, EndAfterTheServerRestarts) {
  PostgresServer server;
  LoggedPostgres store(server.url());
  ASSERT_TRUE(store.put("k", "1"));
  server.stop();
  EXPECT_EQ(store.get("k"), unavailable);
  EXPECT_EQ(store.put("k", "2"), unavailable);
  EXPECT_EQ(store.swap("k", "1", "2"), unavailable);
  EXPECT_EQ(store.scan(""), unavailable);
  ASSERT_EQ(store.log.lines.size(), 1U) << "one a minute";
  EXPECT_TRUE(store.log.lines[0].starts_with("store: a read failed: " + server.name() + ": ")) << store.log.lines[0];
  EXPECT_EQ(postgres::Store::open(server.url(), StoreAccess::serve).error(),
            server.name() + " cannot be used: connection to server at \"127.0.0.1\", port " +
                std::to_string(server.port) + " failed: Connection refused");
  server.start();
  wait_until([&store] { return store.get("k").has_value(); });
  EXPECT_EQ(store.get("k"), "1");
  EXPECT_TRUE(store.put("k", "3"));
}

TEST(PostgresFailures, AreReportedAtTheDeadline) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(server.url("?table=locked"));
  ASSERT_TRUE(store.put("k", "1"));
  auto session = store.open();
  ASSERT_TRUE(store.put("k", "1")) << "on another connection, which stays open for the next write";
  Process holder = server.psql();
  holder.write_line("BEGIN; UPDATE locked SET value = 'held' WHERE key = 'k'; \\echo held");
  ASSERT_EQ(holder.line(), "held");
  store.context.deadline = {1'000'000};
  EXPECT_EQ(store.put("k", "2"), cancelled);
  EXPECT_EQ(store.swap("k", "1", "2"), cancelled);
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a write failed: " + server.name() + ": timed out"}));
  // No statement is still running on the server.
  wait_until([&server] { return server.sql(reads_of("excluded.value") + " AND state = 'active'") == "0\n"; });
  holder.write_line("ROLLBACK; \\echo done");
  ASSERT_EQ(holder.line(), "done");
  store.context.deadline = {60'000'000};
  EXPECT_EQ(store.get("k"), "1");
  EXPECT_EQ(store.swap("k", "1", "2"), true);
}

// The server is stopped, and its connections stay open.
TEST(PostgresFailures, DoNotWaitForASilentServer) {
  PostgresServer server;
  LoggedPostgres store(server.url());
  ASSERT_TRUE(store.put("k", "1"));
  const pid_t backend = std::stoi(connected_to(server));
  server.signal(SIGSTOP);
  kill(backend, SIGSTOP);
  store.context.deadline = {200'000};
  EXPECT_EQ(store.get("k"), cancelled);
  EXPECT_EQ(store.put("k", "2"), cancelled);
  kill(backend, SIGCONT);
  server.signal(SIGCONT);
  store.context.deadline = {60'000'000};
  wait_until([&store] { return store.get("k").has_value(); });
  EXPECT_EQ(store.get("k"), "1");
}

// The kernel gives up 5 seconds after the first unacknowledged byte, before the call's deadline. The write was done.
TEST(PostgresFailures, AreReportedIfSentBytesAreNotAcknowledged) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(url_of_a_new_table());
  ASSERT_TRUE(store.put("k", "1"));
  for (const int connection : connections_to(server.port)) EXPECT_EQ(user_timeout_of(connection), 5000U);
  ASSERT_GT(lose_packets_from(server.port), 0U);
  EXPECT_TRUE(store.put("k", "2")) << "by another connection";
  ASSERT_EQ(store.log.lines.size(), 1U);
  EXPECT_TRUE(store.log.lines[0].starts_with("store: the answer to a write was lost: " + server.name() + ": "))
      << store.log.lines[0];
  EXPECT_TRUE(store.log.lines[0].contains(": Connection timed out")) << store.log.lines[0];
}

// A write may wait for other writes. If the server responds to nothing else either, its connections count as lost.
TEST(PostgresFailures, KeepTheOtherConnectionsIfOnlyAWriteTimesOut) {
  PostgresServer server;
  LoggedPostgres store(server.url());
  ASSERT_TRUE(store.put("k", "1"));
  {
    auto session = store.open();
    ASSERT_TRUE(store.put("k", "2"));
  }
  const std::string all = "SELECT pid FROM pg_stat_activity WHERE application_name = 'portail' AND state = 'idle'";
  wait_until([&] { return std::ranges::count(server.sql(all), '\n') == 2; });
  const std::string backends = server.sql(all);
  const auto signal_all = [&backends](int number) {
    std::istringstream list(backends);
    for (pid_t backend = 0; list >> backend;) kill(backend, number);
  };
  signal_all(SIGSTOP);
  store.context.deadline = {1'500'000};
  EXPECT_EQ(store.put("k", "3"), cancelled);
  store.context.deadline = {60'000'000};
  EXPECT_EQ(store.get("k"), "2") << "on a new connection";
  signal_all(SIGCONT);
}

// libpq returns the result of a COPY without end.
TEST(PostgresFailures, AreReportedIfTheServerBeginsACopy) {
  for (const std::string copy : {"COPY (SELECT 1) TO STDOUT", "CREATE TEMPORARY TABLE t (a int); COPY t FROM STDIN"}) {
    auto connection = postgres::Connection::open(shared_server().url());
    ASSERT_TRUE(connection) << connection.error().message;
    const auto result = connection->execute({.sql = copy}, engine::default_deadline());
    ASSERT_FALSE(result) << copy;
    EXPECT_EQ(result.error().message, "its answer has an unexpected format");
    EXPECT_TRUE(result.error().connection_lost);
  }
}

}  // namespace
}  // namespace portail
