// Connections that cannot be opened: the reasons that are reported, password files, notices and timeouts.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "tests/stores/connections.hpp"
#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

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
