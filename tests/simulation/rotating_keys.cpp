#include "tests/simulation/rotating_keys.hpp"

#include <memory>
#include <optional>

namespace portail::simulation {

struct RotatingKeys::Refresh final : Operation {
  Refresh(std::optional<Fault> fault, RotatingKeys& source) : Operation(fault), keys(source) {}
  bool act() override {
    if (keys.current_ != keys.published_) ++keys.successful_refreshes;
    keys.current_ = keys.published_;
    return true;
  }
  RotatingKeys& keys;
};

Task<SharedKeySet> RotatingKeys::refreshed(Context& context, const SharedKeySet&) {
  std::optional<Fault> fault = scheduler_.next_access(context);
  if (fault) {
    fault->steps = 0;  // a failed refresh does not change the current set
    failed_.insert(&context);
    ++failed_refreshes;
  }
  const auto refresh = std::make_shared<Refresh>(fault, *this);
  scheduler_.add(refresh);
  co_await OperationCompletion(*refresh);
  if (!refresh->result && refresh->result.error() == Failure::cancelled) co_await refresh->result;
  co_return current_;
}

}  // namespace portail::simulation
