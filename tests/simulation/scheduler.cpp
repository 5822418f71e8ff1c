#include "tests/simulation/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace portail::simulation {

bool Operation::step() {
  if (fault_ && steps_++ == fault_->steps) {
    result = std::unexpected(fault_->failure);
    return true;
  }
  if (!act()) return false;
  if (fault_) result = std::unexpected(fault_->failure);
  return true;
}

std::optional<Fault> Scheduler::next_access(const Context& context) {
  Request& request = requests_.at(&context);
  ++request.accesses;
  if (outage_) {
    request.had_fault = true;
    return Fault{};
  }
  if (!request.fault || request.fault->access != request.accesses) return std::nullopt;
  request.had_fault = true;
  return request.fault;
}

std::ptrdiff_t Scheduler::abandoned_writes() const {
  return std::ranges::count_if(pending_,
                               [](const auto& operation) { return operation->is_write() && !operation->waiter; });
}

std::ptrdiff_t Scheduler::pending_writes() const {
  return std::ranges::count_if(pending_, [](const auto& operation) { return operation->is_write(); });
}

void Scheduler::step() {
  const std::size_t picked = random_.below(pending_.size());
  if (!pending_[picked]->step()) return;
  const std::shared_ptr<Operation> operation = std::exchange(pending_[picked], pending_.back());
  pending_.pop_back();
  if (operation->waiter) operation->waiter.resume();
}

}  // namespace portail::simulation
