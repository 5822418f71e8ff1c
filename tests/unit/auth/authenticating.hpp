// The fixture for authentication, shared by the tests of the key source and of the token cache.
#pragma once

#include <array>
#include <coroutine>
#include <string>
#include <string_view>
#include <utility>

#include "core/auth/authenticator.hpp"
#include "core/auth/token_cache.hpp"
#include "tests/support/test_context.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {

inline SharedKeySet shared_keys(std::initializer_list<std::string_view> jwks) {
  return std::make_shared<const KeySet>(load_keys(jwks).keys);
}

// A key source whose set is `now`, and after a refresh `later`.
class ChangingKeys final : public KeySource {
 public:
  SharedKeySet now;
  SharedKeySet later;
  bool suspends = false;  // a refresh waits until answer()
  bool fails = false;     // a refresh fails as for a cancelled request
  int refresh_count = 0;

  SharedKeySet current() override { return now; }
  Task<SharedKeySet> refreshed(Context&, const SharedKeySet&) override {
    ++refresh_count;
    if (suspends) co_await Wait{*this};
    if (fails) co_return std::unexpected(Failure::cancelled);
    now = later;
    co_return now;
  }
  void answer() { std::exchange(waiter_, nullptr).resume(); }

 private:
  struct Wait {
    ChangingKeys& keys;
    [[nodiscard]] bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const { keys.waiter_ = waiter; }
    void await_resume() const {}
  };
  std::coroutine_handle<> waiter_;
};

class Authenticating : public testing::Test {
 protected:
  Authenticating() { test.clock.set(sample_now); }

  Task<Authentication> start(const std::string& sent) {
    authorization = "Bearer " + sent;
    headers = {{{"Authorization", authorization}}};
    request = {.method = "GET", .target = "/", .headers = headers};
    return authenticate(test.context, request, keys, settings);
  }
  static std::string verdict(const Result<Authentication>& result) {
    if (!result) return "cancelled";
    if (*result) return "accepted " + (**result)->subject;
    return std::string(text_of(result->error().reason));
  }
  std::string verdict_on(const std::string& sent) { return verdict(run_ready(start(sent))); }

  TestContext test;
  ChangingKeys keys;
  TokenSettings settings = sample_settings();
  std::string authorization;
  std::array<HeaderView, 1> headers;
  Request request;
  const std::string token = sign_token(signing_key(ed25519_jwk), sample_claims());
  const std::string other_token = sign_token(signing_key(other_ed25519_jwk), sample_claims({{"sub", R"("other")"}}));
};

}  // namespace portail
