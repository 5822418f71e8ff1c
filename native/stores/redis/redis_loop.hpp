// The connections to one Redis server, at most as many as the URL's `pool`, and the thread that serves all of them
// concurrently: it pipelines requests, receives replies in their order, and expires deadlines.
//
// - A call that waits for replicas has a connection to itself; the last connection takes no such calls.
// - The replies to an expired call are discarded, so no call receives the replies of another. Its connection takes no
//   calls until they have arrived.
// - A connection that is silent for the call timeout is closed; with sentinels, which may report another primary, it is
//   closed sooner. The other connections of its generation are closed with it. They are also closed if the server
//   reports that it is a replica.
// - Clients are served in turn. The keys of one client in flight on one connection are limited, so that the calls of
//   others wait for few of its replies. Further calls wait in the queue.
// - If the server cannot be reached, all calls fail immediately until the next attempt to connect. The first call after
//   a backoff starts that attempt (native/stores/engine/engine_connector.hpp).
//
// Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "native/stores/engine/engine_connector.hpp"
#include "native/stores/engine/inbox.hpp"
#include "native/stores/engine/links.hpp"
#include "native/stores/engine/turn_queue.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::redis {

class Loop {
 public:
  Loop(Url url, Connection connection);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  // Waits for at most 2 s for calls in flight whose callers have abandoned them.
  ~Loop();

  void submit(std::shared_ptr<Call> call) { inbox_.put(std::move(call)); }

  // Returns the counts as of the loop's last turn.
  [[nodiscard]] PoolCounts counts() const { return inbox_.counts(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  using CallPtr = std::shared_ptr<Call>;
  // A call, from its submission until all its replies have arrived.
  struct PendingCall {
    CallPtr call;
    bool is_retry = false;    // its first connection was lost
    bool is_expired = false;  // it was completed at its deadline; its replies are discarded
    Time sent{};
    std::vector<Reply> replies{};
  };
  struct Link;

  // The functions below are for the loop's thread.
  void run();
  void take_submissions();
  void take_connection();
  void add(Connection connection);
  void on_ready(Link& link);
  void on_reply(Link& link, Reply reply);
  void remove(Link& link, const Fault& fault);
  void expire_deadlines(Time now);
  void dispatch(Time now);
  void publish_counts();
  void start(Link& link, PendingCall pending, Time now);
  [[nodiscard]] Link* find_link(const PendingCall& pending);
  [[nodiscard]] bool is_usable(const Link& link) const;
  [[nodiscard]] bool is_silent(const Link& link, Time now) const;
  // Returns whether the connection may take the query, given the client's keys in flight on it.
  static bool is_within_share(const Link& link, const Query& query);
  static bool is_blocked(const Link& link);
  [[nodiscard]] std::size_t blocked_links() const;
  [[nodiscard]] bool needs_timer() const;
  [[nodiscard]] bool is_finished() const;

  const Url url_;
  const std::chrono::seconds silence_timeout_;
  engine::Inbox<CallPtr> inbox_;
  engine::Connector<Connection, Fault> connector_;

  // For the loop's thread only.
  engine::Links<Link> links_;
  engine::TurnQueue<PendingCall> queue_;  // of the calls that wait for a connection
  std::uint64_t generation_ = 0;          // connections of an earlier generation lead to a replica or a silent server
  Time last_response_{};
  Fault connect_fault_;  // of the last failed attempt to connect
  Time connect_failed_at_{};
  std::optional<Time> shutdown_deadline_;

  std::jthread thread_;
};

}  // namespace portail::redis
