// One request, from its head to the last piece of its answer. Its states are those of the ABI (wasm/abi/portail.h).
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/frame_arena.hpp"
#include "core/webassembly/serve_request.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/heads.hpp"
#include "wasm/module/portal_instance.hpp"
#include "wasm/module/pushed_body.hpp"
#include "wasm/module/work.hpp"

namespace portail::wasm {

class RunningRequest final : public Work, private AnswerWriter {
 public:
  // `portal` outlives this. start() must be called once.
  RunningRequest(PortalInstance& portal, RequestHead head);

  [[nodiscard]] std::uint32_t state() const;
  // The data of the current state.
  [[nodiscard]] std::string_view data() const { return data_; }
  [[nodiscard]] PortalInstance& portal() const { return portal_; }

  void start();
  // The functions of the exports; fail_body() of lose_body and of a piece that the memory has no space for. In other
  // states than theirs they do nothing.
  void give_body(Buffer piece);
  void fail_body(Failure failure);
  void next();
  void expire();

 private:
  // Suspends the exchange until the host calls next().
  struct NextAwaiter {
    RunningRequest& request;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> exchange) const { request.suspended_ = exchange; }
    void await_resume() const {}
  };

  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override { state_ = PORTAIL_END; }
  void abort() override { state_ = PORTAIL_BROKEN; }

  // Enters `state` with `data`. Awaiting the result suspends the exchange until next().
  NextAwaiter show(std::uint32_t state, std::string_view data);

  PortalInstance& portal_;
  FrameArena frames_;
  Context context_;
  RequestHead head_;
  PushedBody body_;
  Request request_;
  std::uint32_t state_ = PORTAIL_WAITING;
  std::string_view data_;
  std::coroutine_handle<> suspended_;  // until next()
  // The last member, as it must be destroyed first.
  std::optional<Task<void>> exchange_;
};

}  // namespace portail::wasm
