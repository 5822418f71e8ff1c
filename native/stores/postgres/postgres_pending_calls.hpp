// The calls that wait for a connection, in levels: the first transaction of a request, another transaction of a
// request that holds one, and single statements of such a request. Each level may use one connection more than the
// level before. Calls of different clients are served in turn. For the loop's thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>

#include "native/stores/engine/turn_queue.hpp"
#include "native/stores/postgres/postgres_call.hpp"
#include "native/stores/postgres/postgres_connection.hpp"

namespace portail::postgres {

class PendingCalls {
 public:
  static constexpr std::size_t first_transaction = 0;
  static constexpr std::size_t another_transaction = 1;
  static constexpr std::size_t single_statement = 2;

  // Returns whether a call of the level may start while `in_use` of `capacity` connections are in use.
  [[nodiscard]] static bool is_allowed(std::size_t level, std::size_t in_use, std::size_t capacity) {
    return in_use == 0 || in_use + (single_statement - level) < capacity;
  }

  [[nodiscard]] engine::TurnQueue<CallPtr>& queue(std::size_t level) { return queues_.at(level); }
  [[nodiscard]] bool empty() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t calls = 0;
    for (const auto& queue : queues_) calls += queue.size();
    return calls;
  }
  [[nodiscard]] bool has_call_of(const void* request_id) const {
    return std::ranges::any_of(queues_, [request_id](const auto& queue) {
      return queue.contains([request_id](const CallPtr& call) { return call->query.request_id == request_id; });
    });
  }

  // Removes the calls for which `accepts` returns true.
  template <class Accepts>
  void erase_if(Accepts accepts) {
    for (auto& queue : queues_) queue.erase_if(accepts);
  }
  // Completes all calls with the fault, and removes them.
  void fail(const Fault& fault) {
    for (auto& queue : queues_) {
      queue.clear([&fault](const CallPtr& call) { call->complete(std::unexpected(fault)); });
    }
  }

 private:
  std::array<engine::TurnQueue<CallPtr>, 3> queues_;  // by level
};

}  // namespace portail::postgres
