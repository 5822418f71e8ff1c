// A call of the store, its query and its response, by any thread; and the cancellation of a connection's statement.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <libpq-fe.h>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/postgres/postgres_connection.hpp"

namespace portail::postgres {

class Loop;

// A connection that is reserved for one transaction, from the response to Kind::begin until the lease is destroyed. The
// loop then ends the transaction, and the connection serves other calls. A default lease is empty; its number is 0.
class Lease {
 public:
  Lease() = default;
  Lease(Loop& loop, std::uint64_t number) : loop_(&loop), number_(number) {}
  Lease(Lease&& other) noexcept
      : loop_(std::exchange(other.loop_, nullptr)), number_(std::exchange(other.number_, 0)) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(loop_, other.loop_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~Lease();

  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  Loop* loop_ = nullptr;
  std::uint64_t number_ = 0;
};

struct Query {
  enum class Kind : std::uint8_t {
    begin,     // begins a transaction, and leases its connection to the caller
    in_lease,  // runs within such a transaction
    single,    // runs on any connection, as a transaction of its own
  };

  Kind kind = Kind::single;
  Statement statement;
  engine::Deadline deadline;
  // The loop ends the transaction that a request began when the request's deadline expires.
  std::optional<std::chrono::steady_clock::time_point> request_deadline;
  std::uint64_t lease = 0;           // for Kind::in_lease
  const void* request_id = nullptr;  // the same for all calls of one request; not dereferenced
  std::uint64_t client = 0;          // calls of different clients are served in turn; 0: unknown
};

struct Response {
  Result result;
  Lease lease;  // of Kind::begin
};

using Call = engine::Call<Query, Response, Fault>;
using CallPtr = std::shared_ptr<Call>;

// A connection whose statement is cancelled on the server before the connection is closed. libpq cancels over a
// connection of its own. One thread.

class Cancellation {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Starts the cancellation, without waiting.
  Cancellation(Connection connection, Time deadline);

  // Proceeds without waiting. Returns true if the cancellation has completed or its deadline has expired.
  bool advance(Time now);

 private:
  struct Finish {
    void operator()(PGcancelConn* cancel) const { PQcancelFinish(cancel); }
  };

  Connection connection_;
  std::unique_ptr<PGcancelConn, Finish> cancel_;
  Time deadline_;
  PostgresPollingStatusType direction_ = PGRES_POLLING_WRITING;
};

}  // namespace portail::postgres
