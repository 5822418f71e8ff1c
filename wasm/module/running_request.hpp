// One request from its head to the last piece of its answer; its state is the ABI's (wasm/abi/portail.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/frame_arena.hpp"
#include "guest/gathered_body.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/given_body.hpp"
#include "wasm/module/heads.hpp"
#include "wasm/module/hosted_portal.hpp"
#include "wasm/module/operation.hpp"

namespace portail::wasm {

class RunningRequest {
 public:
  // `portal` outlives this. Call start() once.
  RunningRequest(HostedPortal& portal, RequestHead head);
  RunningRequest(const RunningRequest&) = delete;
  RunningRequest& operator=(const RunningRequest&) = delete;

  std::uint32_t number = 0;  // the host's for it

  [[nodiscard]] std::uint32_t state() const;
  [[nodiscard]] std::string_view data() const;
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
  // Runs a part of the request's coroutines, until they end or wait.
  template <class Part>
  void run(const Part& part);
  void take_answer(Response response);
  void take_piece(const Result<std::optional<std::string_view>>& piece);

  HostedPortal& portal_;
  FrameArena frames_;
  Context context_;
  RequestHead head_;
  GivenBody body_;
  Request request_;
  Operation* operation_ = nullptr;
  bool expired_ = false;
  std::uint32_t shown_ = PORTAIL_WAITING;  // the state, as long as no coroutine is under way
  std::string answer_head_;
  std::string_view piece_;
  std::optional<Response> response_;
  std::optional<GatheredBody> pieces_;
  // Last, because they are destroyed first. At most one of them is there, while it is under way.
  std::optional<Task<Response>> answering_;
  std::optional<Task<std::optional<std::string_view>>> reading_;
};

}  // namespace portail::wasm
