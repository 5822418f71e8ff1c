// The connections to one PostgreSQL server, at most as many as the URL's `pool`, and the thread that serves all of them
// concurrently: it sends queries, receives results, and expires deadlines. A second thread opens connections, since
// that resolves names.
//
// - A connection is reused only after its transaction has ended, and never after a call on it was cancelled. So no call
//   receives the result of another.
// - If the server cannot be reached, all calls fail immediately until the next attempt to connect. The first call after
//   a backoff of at most 1 s starts that attempt.
// - A request without a transaction leaves two connections to the requests that have one and need another to proceed.
// - If the server accepts fewer connections than `pool`, the open ones count instead. If requests that wait for another
//   connection hold all of them, one of these requests fails immediately.
// - Waiting calls of different clients are served in turn.
//
// Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "native/stores/engine/engine_connector.hpp"
#include "native/stores/engine/inbox.hpp"
#include "native/stores/engine/links.hpp"
#include "native/stores/postgres/postgres_call.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_link.hpp"
#include "native/stores/postgres/postgres_pending_calls.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::postgres {

class Loop {
 public:
  // `connection` is open and prepared.
  Loop(Url url, Connection connection);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  // All leases must be released first. Waits for at most 2 s for calls in flight whose callers have abandoned them.
  ~Loop();

  void submit(CallPtr call) { inbox_.put(std::move(call)); }

  // Returns the counts as of the loop's last turn.
  [[nodiscard]] PoolCounts counts() const { return inbox_.counts(); }

 private:
  friend Lease;
  using Time = std::chrono::steady_clock::time_point;
  struct ReleasedLease {
    std::uint64_t lease;
  };

  void release(std::uint64_t lease) { inbox_.put(ReleasedLease{lease}); }

  // Opens and prepares a connection. Called on the connector's thread.
  [[nodiscard]] std::expected<Connection, Fault> connect() const;

  // The functions below are for the loop's thread.
  void run();
  void take_submissions();
  void take_connection();
  void enqueue(CallPtr call);
  void add(Connection connection);
  void end_lease(ReleasedLease released);
  void on_ready(Link& link);
  void on_result(Link& link, std::expected<Result, Fault> result);
  void start_next(Link& link);
  void start(Link& link, CallPtr call);
  void end_transaction(Link& link);
  void set_idle(Link& link);
  void remove(Link& link);
  void cancel(Link& link);
  void expire_deadlines(Time now);
  void dispatch(Time now);
  void resolve_deadlock();
  void end_idle_transaction(Time now);
  void publish_counts();
  [[nodiscard]] Link* idle_link();
  [[nodiscard]] Link* find_link(std::uint64_t lease);
  [[nodiscard]] bool holds_lease(const void* request_id) const;
  [[nodiscard]] std::size_t busy_links() const;
  [[nodiscard]] std::size_t capacity() const;
  [[nodiscard]] bool needs_timer() const;
  [[nodiscard]] bool is_finished() const;

  const Url url_;
  const bool requires_primary_;
  engine::Inbox<std::variant<CallPtr, ReleasedLease>> inbox_;
  engine::Connector<Connection, Fault> connector_;

  // For the loop's thread only.
  engine::Links<Link> links_;
  std::vector<Cancellation> cancellations_;
  PendingCalls pending_;
  std::uint64_t last_lease_ = 0;
  std::uint64_t generation_ = 0;  // connections of an earlier generation lead to a standby or a silent server
  Time replaced_at_{};            // of the last generation that ended because of a standby
  Time last_response_{};
  std::optional<Fault> connect_fault_;  // of the last attempt to connect; empty if it succeeded
  Time connect_failed_at_{};
  std::optional<Time> shutdown_deadline_;

  std::jthread thread_;
};

}  // namespace portail::postgres
