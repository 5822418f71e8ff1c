// A store that suspends on every access, over one that never suspends. Reads and writes happen in the scheduler's
// order; the answer to a write comes one step after its effect. Destroying a Task abandons its read, while its write
// completes. Values are copied for each session, so that the address sanitizer detects views that outlive it. Without
// traits, batches are read and written key by key, a session sees concurrent writes, and compare_and_swap is a read and
// a write. Beside it, a request body that suspends. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/http/request.hpp"
#include "core/storage/forwarding_store.hpp"
#include "tests/simulation/history.hpp"
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

  int nested_sessions = 0;  // opened by a request that held another one

 private:
  Scheduler& scheduler_;
  Traits traits_;
  bool has_revision_;  // the target's
};

struct BodyPlan {
  std::size_t part_size = 4096;  // in bytes
  int delay = 0;                 // steps before each part
  bool is_cut = false;           // after the last part, the body fails
};

// A request body that arrives in parts. The request is suspended before each part and before the end, where the body
// may be cut off. One thread.
class SuspendingBody final : public ChunkSource {
 public:
  SuspendingBody(Scheduler& scheduler, std::string text, BodyPlan plan)
      : scheduler_(scheduler), text_(std::move(text)), plan_(plan) {}

  Task<std::optional<std::string_view>> next(Context& context) override;

  [[nodiscard]] int waits() const { return waits_; }
  // The step in which the complete body had arrived; nullopt before.
  [[nodiscard]] std::optional<Moment> arrived() const { return arrived_; }
  [[nodiscard]] bool was_cut() const { return was_cut_; }
  // Whether the request held a session of the store while it waited.
  [[nodiscard]] bool held_a_session() const { return held_a_session_; }

 private:
  Scheduler& scheduler_;
  std::string text_;
  BodyPlan plan_;
  std::size_t position_ = 0;
  int waits_ = 0;
  std::optional<Moment> arrived_;
  bool was_cut_ = false;
  bool held_a_session_ = false;
};

}  // namespace portail::simulation
