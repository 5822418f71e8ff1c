// The key source of the simulation. The issuer withdraws the callers' key and publishes it again; a refresh is an
// operation of the scheduler, which may fail or be cancelled. One thread.
#pragma once

#include <set>
#include <vector>

#include "core/auth/key_source.hpp"
#include "tests/simulation/scheduler.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {

class RotatingKeys final : public KeySource {
 public:
  explicit RotatingKeys(Scheduler& scheduler) : scheduler_(scheduler) {}

  // Removes the callers' key, also from the current set.
  void withdraw() { current_ = published_ = without_; }
  // The issuer publishes the callers' key. Unless `is_known`, only a refresh adds it to the current set.
  void publish(bool is_known) {
    published_ = with_;
    if (is_known) current_ = with_;
  }

  [[nodiscard]] SharedKeySet current() override { return current_; }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& previous) override;

  // Whether the refresh of the request with this context failed or was cancelled. Call forget before the context is
  // destroyed.
  [[nodiscard]] bool refresh_failed(const Context& context) const { return failed_.contains(&context); }
  void forget(const Context& context) { failed_.erase(&context); }

  int successful_refreshes = 0;  // those that added the callers' key
  int failed_refreshes = 0;

 private:
  struct Refresh;

  Scheduler& scheduler_;
  SharedKeySet with_ = test_key_set().current();
  SharedKeySet without_ = std::make_shared<const KeySet>(std::vector{*with_->find(test_eddsa_kid)});
  SharedKeySet published_ = with_;
  SharedKeySet current_ = with_;
  std::set<const Context*> failed_;
};

}  // namespace portail::simulation
