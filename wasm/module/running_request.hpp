// A request of the host in progress: its heads, its body and its answer.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/frame_arena.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/webassembly/serve_request.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/buffer.hpp"
#include "wasm/module/operation.hpp"
#include "wasm/module/portal_instance.hpp"

namespace portail::wasm {

// The heads of requests and answers in the encoding of wasm/abi/portail.h.

// A request's head. Owns the bytes that its views refer to.
class RequestHead {
 public:
  // Returns nullopt if `bytes` are malformed.
  static std::optional<RequestHead> parse(Buffer bytes);

  // Returns the request, with `body` if it may have one. `body` and this object must outlive it.
  [[nodiscard]] Request with(ChunkSource& body) const;

 private:
  explicit RequestHead(Buffer bytes) : bytes_(std::move(bytes)) {}

  Buffer bytes_;
  std::uint32_t flags_ = 0;
  std::string_view method_;
  std::string_view target_;
  std::vector<HeaderView> headers_;
};

// Encodes the status and all headers of `response`.
std::string encode_answer_head(const Response& response);

// The body of one request, which the host pushes in pieces, each when the core waits for it.

class PushedBody final : public ChunkSource {
 public:
  Task<std::optional<std::string_view>> next(Context& context) override;

  // Returns whether a coroutine waits for the next piece.
  [[nodiscard]] bool is_awaited() const { return waiting_ != nullptr; }

  // Adds a piece, or the end if `piece` is empty, and resumes the waiting coroutine. Only while is_awaited().
  void push(Buffer piece);
  // The rest of the body is not available: reads fail. Resumes the waiting coroutine, if any.
  void fail(Failure failure);

 private:
  struct Pause {
    std::coroutine_handle<>& waiting;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { waiting = handle; }
    void await_resume() const {}
  };

  void resume();

  std::coroutine_handle<> waiting_;
  Buffer piece_;
  bool ended_ = false;
  std::optional<Failure> failure_;
};

// One request, from its head to the last piece of its answer. Its states are those of the ABI (wasm/abi/portail.h).

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
