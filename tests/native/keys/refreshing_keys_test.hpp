// A refreshed key set with a scripted document, and waiting for its thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "native/keys/refreshing_keys.hpp"
#include "native/system/system.hpp"

namespace portail::keys {

// The key of RFC 8037 appendix A.1, with two key IDs.
inline constexpr const char* one =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";
inline constexpr const char* two =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"2","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";

// The document's text, and whether its reads block.
struct Script {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::expected<std::string, std::string> text;
  std::optional<std::string> next_text;  // set after the next read
  bool is_held = false;
  int reads = 0;

  void set_text(std::expected<std::string, std::string> next) {
    const std::lock_guard lock(mutex);
    text = std::move(next);
  }
  void hold(bool whether) {
    const std::lock_guard lock(mutex);
    is_held = whether;
    changed.notify_all();
  }
  int count() {
    const std::lock_guard lock(mutex);
    return reads;
  }
};

class ScriptedDocument final : public Document {
 public:
  explicit ScriptedDocument(Script& script) : script_(script) {}
  [[nodiscard]] std::string name() const override { return "script"; }
  std::expected<std::string, std::string> read(std::stop_token stop) override {
    std::unique_lock lock(script_.mutex);
    ++script_.reads;
    script_.changed.wait(lock, stop, [this] { return !script_.is_held; });
    auto text = script_.text;
    if (script_.next_text) script_.text = *std::exchange(script_.next_text, std::nullopt);
    return text;
  }

 private:
  Script& script_;
};

inline void until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class RefreshingKeysTest : public testing::Test {
 protected:
  RefreshingKeys& create(RefreshIntervals times) {
    keys.emplace(std::make_unique<ScriptedDocument>(script), times, log);
    return *keys;
  }
  // Reads the first set and starts the background thread.
  RefreshingKeys& start_with_one(RefreshIntervals times) {
    script.set_text(one);
    RefreshingKeys& result = create(times);
    result.refresh();
    result.start();
    return result;
  }
  [[nodiscard]] bool has_key(const char* kid) { return keys->current() && keys->current()->find(kid); }

  JsonLog log{LogLevel::error};
  SystemClock clock;
  SystemRandom random;
  Script script;
  std::optional<RefreshingKeys> keys;
};

}  // namespace portail::keys
