// Calls that wait for a connection, in turns: one call of each client in a round, whatever the number that each client
// has waiting (fair queueing, RFC 970; native/server/fair_queue.hpp does the same for workers). The calls of one client
// keep their order. A call waits for at most one call of every other client, and for those of its own client before it.
// Calls of client 0, which is unknown, take turns as those of one client. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace portail {

template <class Item>
class TurnQueue {
 public:
  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

  void push(std::uint64_t client, Item item) {
    if (waiting_.empty()) served_.clear();  // there is no other client to be fair to
    const std::uint64_t round = round_after(client);
    const auto behind = std::ranges::upper_bound(waiting_, round, {}, &Entry::round);
    waiting_.insert(behind, {.client = client, .round = round, .item = std::move(item)});
  }
  // Before all others: for a call that had its turn, and lost its connection.
  void push_front(std::uint64_t client, Item item) {
    const std::uint64_t round = waiting_.empty() ? round_ : std::min(round_, waiting_.front().round);
    waiting_.push_front({.client = client, .round = round, .item = std::move(item)});
  }

  // The next one; not from an empty queue.
  Item pop() { return take(waiting_.begin()); }
  // The next one that `accepts`; nullopt where there is none. `accepts` must not change the queue.
  template <class Accepts>
  std::optional<Item> pop_if(Accepts accepts) {
    const auto found = std::ranges::find_if(waiting_, accepts, &Entry::item);
    if (found == waiting_.end()) return std::nullopt;
    return take(found);
  }
  // The last one that `accepts`.
  template <class Accepts>
  std::optional<Item> pop_last_if(Accepts accepts) {
    const auto found = std::ranges::find_last_if(waiting_, accepts, &Entry::item);
    if (found.empty()) return std::nullopt;
    return take(found.begin());
  }

  template <class Accepts>
  [[nodiscard]] bool contains(Accepts accepts) const {
    return std::ranges::any_of(waiting_, accepts, &Entry::item);
  }
  template <class Accepts>
  void erase_if(Accepts accepts) {
    std::erase_if(waiting_, [&accepts](const Entry& entry) { return accepts(entry.item); });
  }
  // Hands over all of them, in their order; the queue is empty before the first.
  template <class Take>
  void clear(Take take) {
    for (Entry& entry : std::exchange(waiting_, {})) take(std::move(entry.item));
  }

 private:
  struct Entry {
    std::uint64_t client;
    std::uint64_t round;
    Item item;
  };

  [[nodiscard]] std::uint64_t round_after(std::uint64_t client) const {
    const auto last = std::ranges::find_last(waiting_, client, &Entry::client);
    if (!last.empty()) return std::max(last.begin()->round, round_) + 1;
    return round_ + (std::ranges::contains(served_, client) ? 1 : 0);
  }
  Item take(std::deque<Entry>::iterator entry) {
    if (entry->round > round_) {
      round_ = entry->round;
      served_.clear();
    }
    served_.push_back(entry->client);
    Item item = std::move(entry->item);
    waiting_.erase(entry);
    return item;
  }

  std::deque<Entry> waiting_;          // in the order of rounds, and of arrival within a round
  std::uint64_t round_ = 0;            // that is served now
  std::vector<std::uint64_t> served_;  // clients that had their turn in it
};

}  // namespace portail
