// One connection to a PostgreSQL server, over libpq's non-blocking interface: a thread waits for each result (execute),
// or the caller's event loop sends and receives (send, advance). After a fault with `connection_lost` the connection
// must be destroyed. One thread at a time.
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
#include "native/stores/engine/engine_call.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {

struct Fault {
  Failure failure = Failure::unavailable;
  std::string message;           // one line for an operator, without values and passwords
  bool connection_lost = false;  // whether the statement was executed is unknown
  bool is_retryable = false;     // the transaction lost a race: nothing was changed, and another attempt may succeed
  bool is_standby = false;       // the server is read-only
  bool is_denied = false;        // the user lacks a right
};

// Returns the fault of a result whose columns, rows or nulls are not those of the statement.
Fault unexpected_result();

struct FreeResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, FreeResult>;

// Either a prepared statement of this connection with its parameters, in the binary format, or one or more statements
// of SQL.
struct Statement {
  const char* prepared = nullptr;
  std::vector<std::string> parameters = {};
  std::string sql = {};
  // Bytes that the server may send until it is ready for the next statement, notices included. The default is for
  // statements that read no values.
  std::size_t max_response_bytes = std::size_t{1024} * 1024;
};

// A limit of the bytes that a connection receives. libpq allocates everything that a server sends before it returns any
// of it, so the limit is checked against the kernel's count of the socket. The count is read when a statement is sent,
// and from the third time on that libpq receives: most responses are complete earlier.
class ReceiveLimit {
 public:
  // Counts from now on.
  void restart(std::size_t max);
  // Returns whether the limit is exceeded. Must be called each time before libpq receives from this socket.
  [[nodiscard]] bool exceeds_limit(int socket);

 private:
  std::size_t max_ = 0;  // bytes, here and below
  int checks_ = 0;
  std::uint64_t baseline_ = 0;
  std::uint64_t total_ = 0;
};

class Connection {
 public:
  // Connects to the first of the hosts that qualifies, and logs in. Blocks for at most connect_timeout for each address
  // (default: 2 s), and while the system resolves names.
  static std::expected<Connection, Fault> open(const Url& url);

  // Sends the statement and waits. Returns the last of its results; fails if one of them is an error.
  std::expected<Result, Fault> execute(const Statement& statement, engine::Deadline deadline);

  // Starts to send the statement. No other function may be called until advance() has returned the result.
  void send(const Statement& statement);
  // Sends and receives without waiting. Returns null until the result is complete.
  std::expected<Result, Fault> advance();
  // Returns whether advance() also waits until the socket is writable.
  [[nodiscard]] bool has_unsent() const { return has_unsent_; }
  // Reads unsolicited messages of the server. Returns false if the connection is closed.
  [[nodiscard]] bool is_alive();

  [[nodiscard]] int socket() const { return PQsocket(connection_.get()); }
  [[nodiscard]] PGconn* handle() const { return connection_.get(); }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  explicit Connection(PGconn* connection) : connection_(connection) {}
  [[nodiscard]] Fault lost_connection() const;
  void drop_notifications() const;

  std::unique_ptr<PGconn, Finish> connection_;
  Result result_;  // the last one so far, or the first error
  bool has_unsent_ = false;
  bool send_failed_ = false;
  ReceiveLimit receive_limit_;
};

}  // namespace portail::postgres
