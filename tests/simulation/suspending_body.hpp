// A request body that arrives in parts. The request is suspended before each part and before the end, where the body
// may be cut off. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/request.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/scheduler.hpp"

namespace portail::simulation {

struct BodyPlan {
  std::size_t part_size = 4096;  // in bytes
  int delay = 0;                 // steps before each part
  bool is_cut = false;           // after the last part, the body fails
};

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
