// A connection whose statement is asked to end on the server, before it is closed: libpq does so by a connection of its
// own. One thread.
#pragma once

#include <chrono>
#include <memory>

#include <libpq-fe.h>

#include "native/stores/postgres/postgres_connection.hpp"

namespace portail {

class PostgresCancelling {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Waits for nothing, and goes on until then at most.
  PostgresCancelling(PostgresConnection connection, Time until);

  // Goes on as far as can be without waiting; whether it is over.
  bool is_over(Time now);

 private:
  struct Finish {
    void operator()(PGcancelConn* cancel) const { PQcancelFinish(cancel); }
  };

  PostgresConnection connection_;
  std::unique_ptr<PGcancelConn, Finish> cancel_;
  Time until_;
  PostgresPollingStatusType direction_ = PGRES_POLLING_WRITING;
};

}  // namespace portail
