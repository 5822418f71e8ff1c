// A connection whose statement is cancelled on the server before the connection is closed. libpq cancels over a
// connection of its own. One thread.
#pragma once

#include <chrono>
#include <memory>

#include <libpq-fe.h>

#include "native/stores/postgres/postgres_connection.hpp"

namespace portail::postgres {

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
