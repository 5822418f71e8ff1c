// The body of one request, which the host pushes in pieces, each when the core waits for it.
#pragma once

#include <coroutine>
#include <optional>

#include "core/http/chunk_source.hpp"
#include "wasm/module/buffer.hpp"

namespace portail::wasm {

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

}  // namespace portail::wasm
