// One connection to a PostgreSQL server, over libpq's non-blocking interface: either a thread waits for each answer
// (ask), or the caller's event loop does (send, advance). After a fault that says `lost` it is good for nothing but to
// be destroyed. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <libpq-fe.h>

#include "core/base/failure.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

struct PostgresFault {
  Failure failure = Failure::unavailable;
  std::string text;           // one line for an operator, without values and passwords
  bool lost = false;          // with the connection
  bool may_be_again = false;  // nothing was done, and it may succeed next time: a lost race of transactions
  bool is_standby = false;    // the server takes no writes (any more)
};

// The answer's columns, rows or nulls are not what the statement gives.
PostgresFault unexpected_answer();

struct FreePostgresResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, FreePostgresResult>;

// Either a prepared statement of this connection with its parameters, in the binary format, or SQL as it is, which may
// be several statements.
struct PostgresStatement {
  const char* prepared = nullptr;
  std::vector<std::string> parameters = {};
  std::string sql = {};
  // Of all that the server sends until it is ready again, notices too. The default is for what reads no values.
  std::size_t max_answer = std::size_t{1024} * 1024;  // bytes
};

// What a connection has received since some moment. libpq allocates what a server sends, as much as that is, before it
// gives any of it to its caller; so the kernel's count of the socket is the bound that there is. It is read when a
// statement is sent, and from the third time on that libpq receives: most answers are whole before.
class PostgresReceived {
 public:
  // Counts from now on.
  void restart(std::size_t max);
  // To be called before libpq receives from this socket: whether that is too much already.
  [[nodiscard]] bool is_too_much(int socket);

 private:
  std::size_t max_ = 0;
  int turns_ = 0;
  std::uint64_t at_first_ = 0;
  std::uint64_t counted_ = 0;  // where the kernel counts nothing
};

class PostgresConnection {
 public:
  // Connected to the first of the hosts that fits, and logged in. Waits as long as connect_timeout says for each
  // address (default: 2 s), and for the look-up of names by the system.
  static std::expected<PostgresConnection, PostgresFault> open(const PostgresUrl& url);

  // Sends the statement and waits: the last of its results, none of which is an error.
  std::expected<PostgresResult, PostgresFault> ask(const PostgresStatement& statement, EngineDeadline deadline);

  // Begins to send. Nothing else until advance() has given the result.
  void send(const PostgresStatement& statement);
  // Sends and receives what can be without waiting. Null as long as there is more to come.
  std::expected<PostgresResult, PostgresFault> advance();
  // Whether advance() waits for room to send, too.
  [[nodiscard]] bool has_unsent() const { return has_unsent_; }
  // Takes what the server says without being asked; false when the connection has ended.
  [[nodiscard]] bool is_alive();

  [[nodiscard]] int socket() const { return PQsocket(connection_.get()); }
  [[nodiscard]] PGconn* handle() const { return connection_.get(); }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  explicit PostgresConnection(PGconn* connection) : connection_(connection) {}
  [[nodiscard]] PostgresFault lost() const;
  void drop_notifications() const;

  std::unique_ptr<PGconn, Finish> connection_;
  PostgresResult result_;  // the last one so far, or the first that is an error
  bool has_unsent_ = false;
  bool could_not_send_ = false;
  PostgresReceived received_;
};

}  // namespace portail
