// One call of the store: the query that is sent to the server, and the response. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/engine/engine_deadline.hpp"
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

}  // namespace portail::postgres
