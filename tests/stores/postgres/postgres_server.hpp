// A PostgreSQL server for tests, one that they share, and stores in it. One thread.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "tests/stores/connections.hpp"
#include "tests/stores/logged_store.hpp"
#include "tests/stores/process.hpp"
#include "tests/stores/temporary_folder.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {

// A server on a free port of the loopback, without fsync. It refuses to run as root; for root it runs as the user that
// Debian's package creates.
class PostgresServer {
 public:
  // `settings` as on its command line: {"max_connections=5"}. With `password`, all users must authenticate with it.
  explicit PostgresServer(std::vector<std::string> settings = {}, const std::string& password = {})
      : settings_(std::move(settings)) {
    owner_ = getpwnam("postgres");
    make_readable(folder_.path());
    std::vector<std::string> command = {programs() / "initdb", "-D", data(), "-U", "bob", "--no-sync",
                                        "--no-instructions", "--encoding=UTF8", "--locale=C.UTF-8",
                                        // A default collation that is not in byte order.
                                        "--locale-provider=icu", "--icu-locale=en"};
    if (!password.empty()) {
      std::ofstream(folder_.path() / "password") << password << '\n';
      make_readable(folder_.path() / "password");
      command.insert(command.end(), {"--auth=scram-sha-256", "--pwfile=" + (folder_.path() / "password").string()});
    } else {
      command.emplace_back("--auth=trust");
    }
    if (Process(as_owner(command)).wait() != 0) {
      ADD_FAILURE() << "initdb fails";
      return;
    }
    // Another program may take the port before the server does.
    for (int attempt = 0; attempt < 5 && !process_; ++attempt) {
      port = free_port();
      start();
    }
    if (!process_) ADD_FAILURE() << "postgres does not start";
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() { stop(); }

  // Starts the server on `port`, and waits until it accepts connections.
  void start() {
    std::vector<std::string> command = {programs() / "postgres", "-D", data(),        "-p",
                                        std::to_string(port),    "-k", folder_.path()};
    for (const std::string& setting :
         {std::string("listen_addresses=127.0.0.1"), std::string("fsync=off"), std::string("log_min_messages=log"),
          std::string("log_checkpoints=off"), std::string("max_connections=200")}) {
      command.insert(command.end(), {"-c", setting});
    }
    for (const std::string& setting : settings_) command.insert(command.end(), {"-c", setting});
    std::vector<std::string> logging = {"sh", "-c", "exec \"$@\" 2>&1", "sh"};
    logging.insert(logging.end(), command.begin(), command.end());
    process_ = std::make_unique<Process>(as_owner(logging));
    for (std::string line = process_->line(); !line.empty(); line = process_->line()) {
      if (line.contains("ready to accept connections")) return;
    }
    process_.reset();
  }
  // Stops the server immediately, as in a crash; it recovers when it starts.
  void stop() {
    if (!process_) return;
    signal(SIGQUIT);
    process_->wait();
    process_.reset();
  }
  // Signals the postmaster only; its connections are not affected.
  void signal(int number) const {
    std::ifstream file(data() / "postmaster.pid");
    pid_t id = 0;
    file >> id;
    ::kill(id, number);
  }

  // Starts a psql, which executes the lines that are written to it.
  [[nodiscard]] Process psql(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command = {programs() / "psql",  "-X", "-q",  "-A", "-t",      "-h", folder_.path(), "-p",
                                        std::to_string(port), "-U", "bob", "-d", "postgres"};
    command.insert(command.end(), options.begin(), options.end());
    return Process(std::move(command));
  }
  // Returns the rows of the statement, one a line.
  std::string sql(const std::string& statement) const {
    Process client = psql({"-c", statement});
    std::string printed;
    for (std::string line = client.line(); !line.empty(); line = client.line()) printed += line + '\n';
    return printed;
  }

  // Returns postgres://USER@127.0.0.1:PORT/postgres without the scheme, followed by `more`.
  [[nodiscard]] std::string address(const std::string& more = {}, const std::string& user = "bob") const {
    return "//" + user + "@127.0.0.1:" + std::to_string(port) + "/postgres" + more;
  }
  // Returns the name in the store's messages.
  [[nodiscard]] std::string name() const { return "postgres://127.0.0.1:" + std::to_string(port) + "/postgres"; }
  [[nodiscard]] postgres::Url url(const std::string& more = {}, const std::string& user = "bob") const {
    auto parsed = postgres::parse_url(address(more, user));
    if (!parsed) ADD_FAILURE() << parsed.error();
    return parsed.value_or(postgres::Url());
  }

  // Makes the path readable for the user that the server runs as.
  void make_readable(const std::filesystem::path& path) const {
    if (geteuid() != 0) return;
    EXPECT_TRUE(owner_ && chown(path.c_str(), owner_->pw_uid, owner_->pw_gid) == 0);
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  std::uint16_t port = 0;

 private:
  // Debian installs them outside PATH, by version.
  static std::filesystem::path programs() {
    std::filesystem::path found;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
      found = std::max(found, version.path() / "bin");
    }
    return found;
  }
  static std::vector<std::string> as_owner(std::vector<std::string> command) {
    if (geteuid() != 0) return command;
    std::vector<std::string> whole = {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"};
    whole.insert(whole.end(), command.begin(), command.end());
    return whole;
  }
  [[nodiscard]] std::filesystem::path data() const { return folder_.path() / "data"; }

  std::vector<std::string> settings_;
  TemporaryFolder folder_;
  const passwd* owner_ = nullptr;
  std::unique_ptr<Process> process_;
};

// Returns the server that the tests share, each with a table of its own. It starts at the first call, and stops with
// the program.
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

// Returns the server's process ids of the portal's connections, one a line.
inline std::string connected_to(const PostgresServer& server) {
  return server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'portail' ORDER BY pid");
}

// Terminates all connections of the portal to the server, and waits until they are closed.
inline void end_connections(const PostgresServer& server) {
  server.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'portail'");
  wait_until([&server] { return connected_to(server).empty(); });
}

}  // namespace portail
