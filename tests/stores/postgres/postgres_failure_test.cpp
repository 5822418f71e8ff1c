#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/engine/engine_call.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "tests/stores/loopback_listener.hpp"
#include "tests/stores/packet_loss.hpp"
#include "tests/stores/postgres/postgres_test_store.hpp"

namespace portail {
namespace {

constexpr std::unexpected unavailable(Failure::unavailable);
constexpr std::unexpected cancelled(Failure::cancelled);

std::string reads_of(const std::string& table) {
  return "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail' AND query ILIKE '%" + table + "%'";
}

// Terminates all connections of the portal to the shared server, and waits until they are closed.
void end_connections(const PostgresServer& server) {
  server.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'portail'");
  wait_until([&server] {
    return server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail'") == "0\n";
  });
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
  LoggedPostgres store(
      *postgres::parse_url("//single@127.0.0.1:" + std::to_string(server.port) + "/postgres?table=single"));
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
  Process holder(
      {"psql", "-X", "-q", "-h", server.folder(), "-p", std::to_string(server.port), "-U", "bob", "-d", "postgres"});
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
  const std::string backends = server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'portail'");
  const pid_t backend = std::stoi(backends);
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

// The write waits for a lock when its connection is closed: its outcome cannot be determined.
TEST(PostgresFailures, NeverRepeatAWrite) {
  const PostgresServer& server = shared_server();
  LoggedPostgres store(server.url("?table=once"));
  ASSERT_TRUE(store.put("k", "1"));
  Process holder(
      {"psql", "-X", "-q", "-h", server.folder(), "-p", std::to_string(server.port), "-U", "bob", "-d", "postgres"});
  holder.write_line("BEGIN; UPDATE once SET value = 'held' WHERE key = 'k'; \\echo held");
  ASSERT_EQ(holder.line(), "held");
  auto written = std::async(std::launch::async, [&store] { return store.put("k", "2"); });
  const std::string waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail' AND wait_event_type = 'Lock'";
  wait_until([&] { return server.sql(waiting) == "1\n"; });
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
  Process holder(
      {"psql", "-X", "-q", "-h", server.folder(), "-p", std::to_string(server.port), "-U", "bob", "-d", "postgres"});
  holder.write_line(
      "SET deadlock_timeout = '1min'; BEGIN; UPDATE dead SET value = 'held' WHERE key = 'b'; \\echo held");
  ASSERT_EQ(holder.line(), "held");
  auto written = std::async(std::launch::async, [&store] {
    const Change changes[] = {{"a", "2"}, {"b", "2"}};
    return run_ready(store.store->write(store.context, changes));
  });
  const std::string waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail' AND wait_event_type = 'Lock'";
  wait_until([&] { return server.sql(waiting) == "1\n"; });
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

// Returns the server's process ids of the portal's connections.
std::string connected_to(const PostgresServer& server) {
  return server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'portail' ORDER BY pid");
}

// A URL that allows any server. A session keeps the default of its login: that of the role changes the next one's.
TEST(PostgresFailures, ReportAReadOnlyStandbyUntilItAcceptsWrites) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(server.sql("CREATE ROLE reader LOGIN SUPERUSER"), "");
  const auto url =
      postgres::parse_url("//reader@127.0.0.1:" + std::to_string(server.port) + "/postgres?table=readonly");
  LoggedPostgres store(*url);
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
  const auto url =
      postgres::parse_url("//visitor@127.0.0.1:" + std::to_string(server.port) + "/postgres?table=standby");
  ASSERT_TRUE(LoggedPostgres(*url).put("k", "v"));
  ASSERT_EQ(server.sql("ALTER ROLE visitor SET default_transaction_read_only = on"), "");
  LoggedPostgres store(*url);
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
  Process holder({"psql", "-X", "-q", "-A", "-t", "-h", server.folder(), "-p", std::to_string(server.port), "-U", "bob",
                  "-d", "postgres"});
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

TEST(PostgresFailures, NameTheCauseButNotThePassword) {
  PostgresServer server({}, "hunter2");
  const auto error = [&server](const std::string& who, const std::string& database = "postgres") {
    const auto url = postgres::parse_url("//" + who + "127.0.0.1:" + std::to_string(server.port) + "/" + database);
    auto store = postgres::Store::open(*url, StoreAccess::create);
    return store ? "none" : store.error();
  };
  const std::string begin = server.name() + " cannot be used: connection to server at \"127.0.0.1\", port " +
                            std::to_string(server.port) + " failed: ";
  EXPECT_EQ(error("bob:hunter2@"), "none");
  EXPECT_EQ(error("bob:burglar@"), begin + "FATAL:  password authentication failed for user \"bob\"");
  EXPECT_EQ(error("bob@"), begin + "fe_sendauth: no password supplied");
  EXPECT_TRUE(error("bob:hunter2@", "nowhere").ends_with("FATAL:  database \"nowhere\" does not exist"));
  // libpq's password file, which only its owner may read.
  const std::string file = (server.folder() / "passwords").string();
  std::ofstream(file) << "127.0.0.1:*:*:bob:hunter2\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  setenv("PGPASSFILE", file.c_str(), 1);
  EXPECT_EQ(error("bob@"), "none");
  // A file that libpq would ignore is reported, and not to standard error.
  testing::internal::CaptureStderr();
  const std::string refused = server.name() + " cannot be used: the password file " + file;
  std::filesystem::permissions(file, std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  EXPECT_EQ(error("bob@"), refused + " must be accessible by its owner only; run chmod 600 on it");
  EXPECT_EQ(error("bob:hunter2@"), "none") << "the file is not read";
  std::filesystem::remove(file);
  EXPECT_EQ(error("bob@"), refused + ": No such file or directory");
  std::filesystem::create_directory(file);
  EXPECT_EQ(error("bob@"), refused + " is not a regular file");
  unsetenv("PGPASSFILE");
  EXPECT_EQ(error("bob@", "postgres?passfile=/nowhere"),
            server.name() + " cannot be used: the password file /nowhere: No such file or directory");
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", server.folder().c_str(), 1);
  EXPECT_TRUE(error("bob@").ends_with("fe_sendauth: no password supplied")) << "a password file is optional";
  std::ofstream(server.folder() / ".pgpass") << "*:*:*:*:hunter2\n";
  std::filesystem::permissions(server.folder() / ".pgpass", std::filesystem::perms(0640));
  EXPECT_EQ(error("bob@"), server.name() + " cannot be used: the password file " +
                               (server.folder() / ".pgpass").string() +
                               " must be accessible by its owner only; run chmod 600 on it");
  std::filesystem::permissions(server.folder() / ".pgpass", std::filesystem::perms(0600));
  EXPECT_EQ(error("bob@"), "none");
  setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// As with `sudo -u`, which may keep HOME: a home that this user may not search, and one whose files it may not read.
TEST(PostgresFailures, DoNotOccurForFilesInTheHomeOfAnotherUser) {
  const PostgresServer& server = shared_server();
  const TemporaryFolder folder;
  const std::filesystem::path home = folder.path() / "home";
  std::filesystem::create_directories(home / ".postgresql");
  std::ofstream(home / ".pgpass") << "*:*:*:*:hunter2\n";
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(home / ".pgpass", std::filesystem::perms(0600));
  const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", home.c_str(), 1);
  const uid_t user = geteuid();
  const auto error = [&](const std::string& more = {}) {
    if (user == 0) {
      EXPECT_EQ(seteuid(65534), 0);
    }
    const auto opened = postgres::Connection::open(server.url(more));
    EXPECT_EQ(seteuid(user), 0);
    return opened ? "none" : opened.error().message;
  };
  if (user == 0) {  // others cannot give files away
    std::ofstream(home / ".postgresql/postgresql.key") << "key";
    std::ofstream(home / ".postgresql/root.crt") << "certificate";
    std::filesystem::permissions(home / ".postgresql/postgresql.key", std::filesystem::perms(0600));
    std::filesystem::permissions(home / ".postgresql/root.crt", std::filesystem::perms(0644));
    std::filesystem::permissions(home, std::filesystem::perms(0755));
    const auto foreign = [&](const std::string& more = {}) {
      EXPECT_EQ(seteuid(65534), 0);
      const auto files = postgres::foreign_files(server.url(more));
      EXPECT_EQ(seteuid(user), 0);
      return std::vector<std::string>(files.begin(), files.end());
    };
    using Files = std::vector<std::string>;
    EXPECT_EQ(foreign(), (Files{"passfile", "sslcert"})) << "those that cannot be read";
    EXPECT_EQ(foreign("?sslcert=own.crt"), Files{"passfile"});
    EXPECT_EQ(foreign("?sslkey=own.key"), Files{"passfile"});
    EXPECT_EQ(chown(home.c_str(), 65533, 65533), 0);
    EXPECT_EQ(foreign(), (Files{"passfile", "sslcert", "sslcert"})) << "the others are no identity";
    EXPECT_EQ(foreign("?sslkey=own.key"), Files{"passfile"});
    EXPECT_EQ(chown(home.c_str(), 65534, 65534), 0);
    EXPECT_EQ(foreign(), (Files{"passfile", "sslcert"})) << "the user's own home";
    std::filesystem::remove(home / ".postgresql/root.crt");  // else the connection would need TLS
    EXPECT_EQ(chown(home.c_str(), 0, 0), 0);
  }
  for (const int mode : {0755, 0}) {
    std::filesystem::permissions(home, std::filesystem::perms(mode));
    EXPECT_EQ(error(), "none") << mode;
    EXPECT_EQ(error("?sslmode=prefer"), "none") << mode;
  }
  EXPECT_EQ(error("?passfile=" + (home / ".pgpass").string()),
            "the password file " + (home / ".pgpass").string() + ": Permission denied");
  std::filesystem::permissions(home, std::filesystem::perms(0700));
  setenv("HOME", before.c_str(), 1);
}

TEST(PostgresFailures, IgnoreTheNoticesOfTheServer) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(server.sql("CREATE FUNCTION greet() RETURNS event_trigger LANGUAGE plpgsql AS"
                       " $$ BEGIN RAISE WARNING 'welcome'; END $$;"
                       "CREATE EVENT TRIGGER greet ON login EXECUTE FUNCTION greet()"),
            "");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(postgres::Store::open(url_of_a_new_table(), StoreAccess::create));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(server.sql("DROP EVENT TRIGGER greet"), "");
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

// A port whose connections the kernel accepts, and no process answers.
TEST(PostgresFailures, SkipASilentAddress) {
  const LoopbackListener silent;
  const std::string port = std::to_string(silent.port());
  const auto url = [&port](const std::string& others) {
    return *postgres::parse_url("//bob@127.0.0.1:" + port + others + "/postgres?connect_timeout=1&table=silent");
  };
  // On a busy machine, the server itself may exceed the timeout.
  const auto both = url(",127.0.0.1:" + std::to_string(shared_server().port));
  wait_until([&both] { return postgres::Store::open(both, StoreAccess::create).has_value(); });
  const auto refused = postgres::Store::open(url(""), StoreAccess::serve);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "postgres://127.0.0.1:" + port + "/postgres cannot be used: connection to server at " +
                                 "\"127.0.0.1\", port " + port + " failed: timeout expired");
}

TEST(PostgresFailures, ReportWhyAServerRejectsTheConnection) {
  PostgresServer server({"max_connections=5", "superuser_reserved_connections=0"});
  LoggedPostgres store(server.url());
  ASSERT_TRUE(store.put("k", "1"));
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 5; ++i) {
    auto session = store.open();
    ASSERT_TRUE(session);
    sessions.push_back(std::move(*session));
  }
  const std::string error = postgres::Store::open(server.url(), StoreAccess::serve).error();
  EXPECT_TRUE(error.ends_with("FATAL:  sorry, too many clients already")) << error;
  EXPECT_EQ(store.get("k"), unavailable) << "the sessions hold all connections";
  sessions.pop_back();
  EXPECT_EQ(store.get("k"), "1");
}

}  // namespace
}  // namespace portail
