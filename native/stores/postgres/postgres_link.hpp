// A connection of the loop, and its current work. For the loop's thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <utility>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/postgres/postgres_call.hpp"
#include "native/stores/postgres/postgres_connection.hpp"

namespace portail::postgres {

struct Link {
  enum class State : std::uint8_t {
    idle,
    busy,    // `call` is in flight
    leased,  // within the transaction of `lease`, with no statement in flight
    ending,  // a COMMIT is in flight
    closed,  // removed at the end of the loop's turn
  };
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] int socket() const { return watched.number(); }
  [[nodiscard]] bool is_closed() const { return state == State::closed; }
  // Returns whether a call or a transaction has it.
  [[nodiscard]] bool is_in_use() const { return state != State::idle && state != State::closed; }
  // Completes the calls of `queued` with the fault, and removes them.
  void fail_queued(const Fault& fault) {
    for (const CallPtr& waiting : std::exchange(queued, {})) waiting->complete(std::unexpected(fault));
  }

  Connection connection;
  std::uint64_t generation = 0;
  State state = State::idle;
  // A duplicate of the connection's socket. libpq closes its own descriptor when the connection is lost, and the kernel
  // keeps reporting events of a closed one while another process has the socket open.
  Descriptor watched;
  std::uint32_t events = 0;
  CallPtr call{};
  int attempts = 0;
  bool was_used = false;  // the server may have closed it since
  // Of a transaction:
  std::uint64_t lease = 0;
  const void* request_id = nullptr;
  std::optional<Time> request_deadline{};
  Time idle_since{};
  Time end_deadline{};           // in state `ending`
  std::deque<CallPtr> queued{};  // of this transaction, behind a call that was abandoned
};

}  // namespace portail::postgres
