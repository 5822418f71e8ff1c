// The connections to one PostgreSQL server, at most so many as the address says, and the thread that works on all of
// them at once: it sends what is asked, receives what is answered, and ends what takes too long. A second thread makes
// new connections, since that looks up names. No connection is used again before its transaction has ended, and none
// after a call on it was given up: no call gets the answer of another.
//
// Where the server cannot be reached every call fails at once until the next attempt to connect, which is made for the
// first call after a pause of 1 s at most.
//
// A call of a request without a transaction leaves two connections free for those that requests with a transaction need
// to go on. While the server grants no more than there are, these count instead of the pool; where all of them are held
// by requests that wait for one more, one of these requests fails at once. Of the calls that wait, clients take turns.
// Any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/files/descriptor.hpp"
#include "native/stores/engine/engine_connector.hpp"
#include "native/stores/engine/turn_queue.hpp"
#include "native/stores/pool_counts.hpp"
#include "native/stores/postgres/postgres_call.hpp"
#include "native/stores/postgres/postgres_cancelling.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

class PostgresLoop {
 public:
  // `connection` is connected and prepared.
  PostgresLoop(PostgresUrl url, PostgresConnection connection);
  PostgresLoop(const PostgresLoop&) = delete;
  PostgresLoop& operator=(const PostgresLoop&) = delete;
  // All leases are given back before. Waits, for 2 s at most, for calls that were begun and whose callers are gone.
  ~PostgresLoop();

  void submit(std::shared_ptr<PostgresCall> call);

  // As of the loop's last turn.
  PoolCounts counts();

 private:
  friend PostgresLease;
  using Time = std::chrono::steady_clock::time_point;
  using Call = std::shared_ptr<PostgresCall>;
  struct Link;

  void give_back(std::uint64_t lease);

  // A connection, prepared. On the connector's thread.
  [[nodiscard]] std::expected<PostgresConnection, PostgresFault> made() const;

  // All that follows belongs to the loop's thread.
  void run();
  void take_what_is_new();
  void take(Call call);
  void add(PostgresConnection connection);
  void end_lease(std::uint64_t lease);
  void look_at(Link& link);
  void finished(Link& link, std::expected<PostgresResult, PostgresFault> result);
  void go_on(Link& link);
  void start(Link& link, Call call);
  void end_transaction(Link& link);
  void free(Link& link);
  void watch(Link& link);
  void remove(Link& link);
  void give_up(Link& link);
  static void fail(std::deque<Call>& calls, const PostgresFault& fault);
  static void fail(TurnQueue<Call>& calls, const PostgresFault& fault);
  void end_what_is_late(Time now);
  void distribute(Time now);
  void end_waiting_for_one_another();
  void end_an_idle_transaction(Time now);
  void tell();
  [[nodiscard]] Link* free_link();
  [[nodiscard]] Link* link_of(std::uint64_t lease);
  [[nodiscard]] bool holds_a_lease(const void* asker) const;
  [[nodiscard]] std::size_t living_links() const;
  [[nodiscard]] std::size_t links_in_use() const;
  [[nodiscard]] std::size_t capacity() const;
  [[nodiscard]] bool may_be_used_by(std::size_t level, std::size_t capacity) const;
  [[nodiscard]] bool waits(const void* asker) const;
  [[nodiscard]] bool is_timed() const;
  [[nodiscard]] bool is_done() const;

  const PostgresUrl url_;
  const bool wants_primary_;
  Descriptor poll_;
  Descriptor more_;  // an event when something is new

  EngineConnector<PostgresConnection, PostgresFault> connector_;

  // New for the loop; under the mutex.
  std::mutex mutex_;
  std::vector<Call> submitted_;
  std::vector<std::uint64_t> given_back_;
  bool stopping_ = false;

  // What it tells of itself; under the mutex too.
  PoolCounts counts_;

  // Of the loop's thread.
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<PostgresCancelling> given_up_;
  // What waits for a connection: calls of requests without a transaction, further transactions of those with one, and
  // their single statements. Each of these may use one connection more than the one before.
  static constexpr std::size_t first = 0;
  static constexpr std::size_t further = 1;
  static constexpr std::size_t single = 2;
  std::array<TurnQueue<Call>, 3> waiting_;
  std::uint64_t last_lease_ = 0;
  std::uint64_t generation_ = 0;  // connections of an earlier one are to a server that is a standby by now, or silent
  Time last_answer_{};
  std::optional<PostgresFault> refused_;  // why the last attempt to connect failed, until one succeeds
  std::optional<Time> end_by_;

  std::jthread running_;
};

}  // namespace portail
