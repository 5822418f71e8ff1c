// An HttpClient of scripted answers. A pause moves the clock. One thread.
#pragma once

#include <coroutine>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/webassembly/http_client.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

class ScriptedClient final : public HttpClient {
 public:
  // `clock` must outlive this.
  explicit ScriptedClient(FixedClock& clock) : clock_(clock) {}

  std::map<std::string, HttpResult> answers;  // by authority and target; "cannot connect" if absent
  std::vector<std::string> fetched;           // authority and target of each get
  std::vector<std::int64_t> timeouts;         // of each get, in microseconds
  bool is_held = false;                       // a get waits until release()
  bool can_continue = true;                   // is_concurrent()
  std::function<void()> on_pause;             // called in each pause

  void release() {
    for (const auto handle : std::exchange(held_, {})) handle.resume();
  }

  Task<HttpResult> get(Context&, const Url& url, std::size_t, std::int64_t timeout) override {
    const std::string name = url.authority + url.target;
    fetched.push_back(name);
    timeouts.push_back(timeout);
    if (is_held) co_await Hold(held_);
    const auto found = answers.find(name);
    if (found == answers.end()) co_return HttpResult(std::unexpected("cannot connect"));
    co_return found->second;
  }
  Task<void> pause(Context&, std::int64_t microseconds) override {
    clock_.set({clock_.now().microseconds + microseconds});
    if (on_pause) on_pause();
    co_return;
  }
  [[nodiscard]] bool is_concurrent() const override { return can_continue; }

 private:
  using Held = std::vector<std::coroutine_handle<>>;
  struct Hold : std::suspend_always {
    explicit Hold(Held& all) : held(all) {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { std::erase(held, handle); }
    void await_suspend(std::coroutine_handle<> awaiting) {
      handle = awaiting;
      held.push_back(handle);
    }
    Held& held;
    std::coroutine_handle<> handle;
  };

  FixedClock& clock_;
  Held held_;
};

}  // namespace portail
