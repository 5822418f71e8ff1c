#include "native/server/fair_queue.hpp"

#include <utility>

namespace portail {

void FairQueue::push(Queued& what, Time now) {
  const auto [line, is_new] = lines_.try_emplace(what.claimant_);
  Line& waiting = line->second;
  (is_new ? waiting.first : waiting.last->behind_) = &what;
  waiting.last = &what;
  ++waiting.length;
  what.queued_at_ = now;
  if (is_new) turns_.push_back(what.claimant_);
}

void FairQueue::push_ahead(Queued& what, Time now) {
  const auto line = lines_.find(what.claimant_);
  if (line == lines_.end()) return push(what, now);
  what.behind_ = std::exchange(line->second.first, &what);
  ++line->second.length;
  what.queued_at_ = now;
}

Queued* FairQueue::pop() {
  if (turns_.empty()) return nullptr;
  const auto line = lines_.find(turns_.front());
  turns_.pop_front();
  Line& waiting = line->second;
  Queued* const next = waiting.first;
  waiting.first = std::exchange(next->behind_, nullptr);
  next->left_behind_ = --waiting.length;
  if (waiting.first) {
    turns_.push_back(line->first);
  } else {
    lines_.erase(line);
  }
  next->was_last_ = turns_.empty();
  return next;
}

void FairQueue::pass(Queued& what, Time now) {
  what.queued_at_ = now;
  what.left_behind_ = 0;
  what.was_last_ = true;
}

}  // namespace portail
