// A queue of calls that wait for a connection, served in turn: one call of each client in a round, however many calls
// each client has (fair queueing, RFC 970; native/server/fair_queue.hpp is the same for workers). The calls of one
// client keep their order. A call waits for at most one call of every other client, and for the earlier ones of its
// own. Client 0 is unknown; its calls count as those of one client. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace portail::engine {

template <class Item>
class TurnQueue {
 public:
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void push(std::uint64_t client, Item item) {
    if (entries_.empty()) served_.clear();  // a new round begins
    const std::uint64_t round = next_round(client);
    const auto position = std::ranges::upper_bound(entries_, round, {}, &Entry::round);
    entries_.insert(position, {.client = client, .round = round, .item = std::move(item)});
  }
  // Queues the call before all others: for a retry after its connection was lost.
  void push_front(std::uint64_t client, Item item) {
    const std::uint64_t round = entries_.empty() ? round_ : std::min(round_, entries_.front().round);
    entries_.push_front({.client = client, .round = round, .item = std::move(item)});
  }

  // Removes and returns the next call. The queue must not be empty.
  Item pop() { return extract(entries_.begin()); }
  // Removes and returns the next call that `accepts`; nullopt if there is none. `accepts` must not change the queue.
  template <class Accepts>
  std::optional<Item> pop_if(Accepts accepts) {
    const auto found = std::ranges::find_if(entries_, accepts, &Entry::item);
    if (found == entries_.end()) return std::nullopt;
    return extract(found);
  }
  // As pop_if, for the last call.
  template <class Accepts>
  std::optional<Item> pop_last_if(Accepts accepts) {
    const auto found = std::ranges::find_last_if(entries_, accepts, &Entry::item);
    if (found.empty()) return std::nullopt;
    return extract(found.begin());
  }

  template <class Accepts>
  [[nodiscard]] bool contains(Accepts accepts) const {
    return std::ranges::any_of(entries_, accepts, &Entry::item);
  }
  template <class Accepts>
  void erase_if(Accepts accepts) {
    std::erase_if(entries_, [&accepts](const Entry& entry) { return accepts(entry.item); });
  }
  // Passes all calls to `consume`, in their order; the queue is empty before the first one.
  template <class Consume>
  void clear(Consume consume) {
    for (Entry& entry : std::exchange(entries_, {})) consume(std::move(entry.item));
  }

 private:
  struct Entry {
    std::uint64_t client;
    std::uint64_t round;
    Item item;
  };

  [[nodiscard]] std::uint64_t next_round(std::uint64_t client) const {
    const auto last = std::ranges::find_last(entries_, client, &Entry::client);
    if (!last.empty()) return std::max(last.begin()->round, round_) + 1;
    return round_ + (std::ranges::contains(served_, client) ? 1 : 0);
  }
  Item extract(std::deque<Entry>::iterator entry) {
    if (entry->round > round_) {
      round_ = entry->round;
      served_.clear();
    }
    served_.push_back(entry->client);
    Item item = std::move(entry->item);
    entries_.erase(entry);
    return item;
  }

  std::deque<Entry> entries_;          // ordered by round, then by arrival
  std::uint64_t round_ = 0;            // the round that is being served
  std::vector<std::uint64_t> served_;  // the clients that were served in it
};

}  // namespace portail::engine
