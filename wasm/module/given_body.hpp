// A request's body as the host gives it, piece by piece, each when the core asks for it. One request.
#pragma once

#include <coroutine>

#include "core/http/chunk_source.hpp"
#include "wasm/module/buffer.hpp"

namespace portail::wasm {

class GivenBody final : public ChunkSource {
 public:
  Task<std::optional<std::string_view>> next(Context& context) override;

  // Whether a coroutine waits for the next piece.
  [[nodiscard]] bool wanted() const { return waiting_ != nullptr; }

  // Both resume the coroutine that waits.
  void give(Buffer piece);  // only while a piece is wanted; an empty one is the end
  void lose();              // the rest will not come, or must not be awaited any more

 private:
  struct Pause {
    std::coroutine_handle<>& waiting;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { waiting = handle; }
    void await_resume() const {}
  };

  void go_on();

  std::coroutine_handle<> waiting_;
  Buffer piece_;
  bool ended_ = false;
  bool lost_ = false;
};

}  // namespace portail::wasm
