// One call of the store: what is asked of the server, and its answer. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/postgres/postgres_connection.hpp"

namespace portail {

class PostgresLoop;

// A connection with a transaction of its own, from the answer to the call that began it until it is destroyed: then the
// loop ends the transaction, and the connection serves other calls. A default one holds none, and its number is 0.
class PostgresLease {
 public:
  PostgresLease() = default;
  PostgresLease(PostgresLoop& loop, std::uint64_t number) : loop_(&loop), number_(number) {}
  PostgresLease(PostgresLease&& other) noexcept
      : loop_(std::exchange(other.loop_, nullptr)), number_(std::exchange(other.number_, 0)) {}
  PostgresLease& operator=(PostgresLease&& other) noexcept {
    std::swap(loop_, other.loop_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~PostgresLease();

  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  PostgresLoop* loop_ = nullptr;
  std::uint64_t number_ = 0;
};

struct PostgresQuestion {
  enum class Kind : std::uint8_t {
    begin,     // begins a transaction on a connection of its own; the statement is all that this takes
    in_lease,  // within such a transaction
    single,    // on any connection, as a transaction of its own
  };

  Kind kind = Kind::single;
  PostgresStatement statement;
  EngineDeadline deadline;
  // Of a request, when it is over in any case: a transaction that it began is ended then.
  std::optional<std::chrono::steady_clock::time_point> request_ends;
  std::uint64_t lease = 0;      // for Kind::in_lease
  const void* asker = nullptr;  // the same for all calls of one request
  std::uint64_t client = 0;     // calls of different clients take turns; 0: unknown
};

struct PostgresAnswer {
  PostgresResult result;
  PostgresLease lease;  // of Kind::begin
};

using PostgresCall = EngineCall<PostgresQuestion, PostgresAnswer, PostgresFault>;

}  // namespace portail
