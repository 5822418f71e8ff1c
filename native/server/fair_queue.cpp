#include "native/server/fair_queue.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace portail::server {

std::uint64_t flow_id_of(const Flow& flow) {
  std::array<char, 16 + sizeof flow.connection> bytes{};
  std::ranges::copy(flow.address.bytes(), bytes.begin());
  std::memcpy(bytes.data() + 16, &flow.connection, sizeof flow.connection);
  return std::max<std::uint64_t>(std::hash<std::string_view>{}({bytes.data(), bytes.size()}), 1);
}

void FairQueue::push(QueueItem& item, Time now) {
  const auto [entry, is_new] = flows_.try_emplace(item.flow_);
  List& list = entry->second;
  (is_new ? list.first : list.last->next_) = &item;
  list.last = &item;
  item.queued_at_ = now;
  if (is_new) active_flows_.push_back(item.flow_);
}

void FairQueue::push_front(QueueItem& item, Time now) {
  const auto entry = flows_.find(item.flow_);
  if (entry == flows_.end()) return push(item, now);
  item.next_ = std::exchange(entry->second.first, &item);
  item.queued_at_ = now;
}

std::optional<ReadyItem> FairQueue::pop() {
  if (active_flows_.empty()) return std::nullopt;
  const auto entry = flows_.find(active_flows_.front());
  active_flows_.pop_front();
  List& list = entry->second;
  QueueItem* const item = list.first;
  list.first = std::exchange(item->next_, nullptr);
  if (list.first) {
    active_flows_.push_back(entry->first);
  } else {
    flows_.erase(entry);
  }
  return ReadyItem{.item = item, .queued_at = item->queued_at_, .is_last = active_flows_.empty()};
}

}  // namespace portail::server
