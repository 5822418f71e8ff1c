// The connections to one Redis server, at most so many as the address says, and the thread that works on all of them at
// once: it sends what is asked, many calls behind one another on one connection, takes the replies in their order, and
// ends what takes too long. A call that makes the server wait has a connection of its own, all but the last. What comes
// for a call that was ended is dropped: no call gets the replies of another. A connection with such a call is given no
// more until it has been answered. One that is silent for the longest time of a call is closed, or sooner where
// sentinels may know of another primary; then all others of its time are closed too, as they are where the server says
// that it has become a replica.
//
// Clients take turns: one has a bounded number of keys asked on a connection, so that calls of others are behind few of
// its replies. What is beyond that waits, and of what waits each client has its turn.
//
// Where the server cannot be reached every call fails at once until the next attempt to connect, which is made for the
// first call after a pause (native/stores/engine/engine_connector.hpp). Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/files/descriptor.hpp"
#include "native/stores/engine/engine_connector.hpp"
#include "native/stores/engine/turn_queue.hpp"
#include "native/stores/pool_counts.hpp"
#include "native/stores/redis/redis_call.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

class RedisLoop {
 public:
  RedisLoop(RedisUrl url, RedisConnection connection);
  RedisLoop(const RedisLoop&) = delete;
  RedisLoop& operator=(const RedisLoop&) = delete;
  // Waits, for 2 s at most, for calls that were begun and whose callers are gone.
  ~RedisLoop();

  void submit(std::shared_ptr<RedisCall> call);

  // As of the loop's last turn.
  PoolCounts counts();

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Call = std::shared_ptr<RedisCall>;
  // A call, from its submission until all its replies have come.
  struct Asked {
    Call call;
    bool is_again = false;  // it was lost with a connection before
    bool is_over = false;   // its time was up; its replies are dropped
    Time sent{};
    std::vector<RedisReply> replies{};
  };
  struct Link;

  // All that follows belongs to the loop's thread.
  void run();
  void take_what_is_new();
  void add(RedisConnection connection);
  void look_at(Link& link);
  void take(Link& link, RedisReply reply);
  void watch(Link& link);
  void remove(Link& link, const RedisFault& fault);
  void end_what_is_late(Time now);
  void distribute(Time now);
  void tell();
  void start(Link& link, Asked asked, Time now);
  [[nodiscard]] Link* link_for(const Asked& asked);
  [[nodiscard]] bool is_usable(const Link& link) const;
  [[nodiscard]] bool is_silent(const Link& link, Time now) const;
  // Whether its client may have that asked on the connection, behind what it has there.
  static bool has_turn(const Link& link, const RedisQuestion& question);
  static bool waits_on(const Link& link);
  [[nodiscard]] std::size_t links_that_wait() const;
  [[nodiscard]] std::size_t living_links() const;
  [[nodiscard]] bool is_timed() const;
  [[nodiscard]] bool is_done() const;

  const RedisUrl url_;
  const std::chrono::seconds longest_silence_;
  Descriptor poll_;
  Descriptor more_;  // an event when something is new
  EngineConnector<RedisConnection, RedisFault> connector_;

  // New for the loop; under the mutex.
  std::mutex mutex_;
  std::vector<Call> submitted_;
  bool stopping_ = false;

  // What it tells of itself; under the mutex too.
  PoolCounts counts_;

  // Of the loop's thread.
  std::vector<std::unique_ptr<Link>> links_;
  TurnQueue<Asked> waiting_;  // for a connection
  std::uint64_t generation_ =
      0;  // connections of an earlier one are to a server that has become a replica, or says nothing
  RedisFault last_fault_;
  std::optional<Time> end_by_;

  std::jthread running_;
};

}  // namespace portail
