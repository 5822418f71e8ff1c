// A store that suspends on every access, over one that never suspends. Reads and writes happen in the scheduler's
// order; the answer to a write comes one step after its effect. Destroying a Task abandons its read, while its write
// completes. Values are copied for each session, so that the address sanitizer detects views that outlive it. Without
// traits, batches are read and written key by key, a session sees concurrent writes, and compare_and_swap is a read and
// a write. One thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/storage/forwarding_store.hpp"
#include "tests/simulation/scheduler.hpp"

namespace portail::simulation {

class SuspendingStore final : public ForwardingStore {
 public:
  SuspendingStore(KeyValueStore& target, Scheduler& scheduler, Traits traits, bool has_revision = true)
      : ForwardingStore(target), scheduler_(scheduler), traits_(traits), has_revision_(has_revision) {}

  [[nodiscard]] Traits traits() const override { return traits_; }
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  Scheduler& scheduler_;
  Traits traits_;
  bool has_revision_;  // the target's
};

}  // namespace portail::simulation
