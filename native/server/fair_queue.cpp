#include "native/server/fair_queue.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace portail {

std::uint64_t number_of(const Claimant& claimant) {
  std::array<char, 16 + sizeof claimant.connection> bytes{};
  std::ranges::copy(claimant.address.bytes(), bytes.begin());
  std::memcpy(bytes.data() + 16, &claimant.connection, sizeof claimant.connection);
  return std::max<std::uint64_t>(std::hash<std::string_view>{}({bytes.data(), bytes.size()}), 1);
}

void FairQueue::push(Queued& what, Time now) {
  const auto [line, is_new] = lines_.try_emplace(what.claimant_);
  Line& waiting = line->second;
  (is_new ? waiting.first : waiting.last->behind_) = &what;
  waiting.last = &what;
  what.queued_at_ = now;
  if (is_new) turns_.push_back(what.claimant_);
}

void FairQueue::push_ahead(Queued& what, Time now) {
  const auto line = lines_.find(what.claimant_);
  if (line == lines_.end()) return push(what, now);
  what.behind_ = std::exchange(line->second.first, &what);
  what.queued_at_ = now;
}

std::optional<Turn> FairQueue::pop() {
  if (turns_.empty()) return std::nullopt;
  const auto line = lines_.find(turns_.front());
  turns_.pop_front();
  Line& waiting = line->second;
  Queued* const next = waiting.first;
  waiting.first = std::exchange(next->behind_, nullptr);
  if (waiting.first) {
    turns_.push_back(line->first);
  } else {
    lines_.erase(line);
  }
  return Turn{.what = next, .queued_at = next->queued_at_, .is_last = turns_.empty()};
}

}  // namespace portail
