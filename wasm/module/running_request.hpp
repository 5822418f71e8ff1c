// One request from its head to the last piece of its answer; its state is the ABI's (wasm/abi/portail.h).
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/frame_arena.hpp"
#include "core/guest/exchange.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/given_body.hpp"
#include "wasm/module/heads.hpp"
#include "wasm/module/hosted_portal.hpp"
#include "wasm/module/operation.hpp"

namespace portail::wasm {

class RunningRequest final : private AnswerWriter {
 public:
  // `portal` outlives this. Call start() once.
  RunningRequest(HostedPortal& portal, RequestHead head);
  RunningRequest(const RunningRequest&) = delete;
  RunningRequest& operator=(const RunningRequest&) = delete;

  std::uint32_t number = 0;  // the host's for it

  [[nodiscard]] std::uint32_t state() const;
  // What the state has to show.
  [[nodiscard]] std::string_view data() const { return shown_; }
  [[nodiscard]] const HostedPortal& portal() const { return portal_; }

  void start();
  // Each as the export of its name; in a state that it is not for, it does nothing.
  void give_body(Buffer piece);
  void lose_body();
  void next();
  void expire();
  void complete(Operation& operation, Result<Completed> result);

  // For operations: the one that is under way now, or none.
  void waits_for(Operation* operation) { operation_ = operation; }
  [[nodiscard]] bool expired() const { return expired_; }

 private:
  // Until the host calls next().
  struct Shown {
    RunningRequest& request;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> exchange) const { request.showing_ = exchange; }
    void await_resume() const {}
  };

  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override { state_ = PORTAIL_END; }
  void break_off() override { state_ = PORTAIL_BROKEN; }

  // Shows the host `data` in that state; after the pause the exchange goes on.
  Shown show(std::uint32_t state, std::string_view data);
  // Runs a part of the exchange, until it ends or waits.
  template <class Part>
  void run(const Part& part);

  HostedPortal& portal_;
  FrameArena frames_;
  Context context_;
  RequestHead head_;
  GivenBody body_;
  Request request_;
  Operation* operation_ = nullptr;
  bool expired_ = false;
  std::uint32_t state_ = PORTAIL_WAITING;
  std::string_view shown_;
  std::coroutine_handle<> showing_;  // while something is shown
  // Last, because it is destroyed first.
  std::optional<Task<void>> exchange_;
};

}  // namespace portail::wasm
