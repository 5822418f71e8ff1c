// One import at a time (docs/how-to/import.md, "What it does"), for a store in Redis: a key that no key of the portal
// can have, held by the process that imports and renewed by a thread of its own. It keeps no reader and no server out.
// It expires half a minute after the process died, or was suspended.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "native/stores/redis/redis_url.hpp"

namespace portail {

class RedisImportLock {
 public:
  static constexpr std::string_view key = "portail:import";  // the portal's own keys have no colon
  struct Times {
    std::chrono::milliseconds expiry{30'000};
    std::chrono::milliseconds renewal{10'000};
    std::chrono::milliseconds retry{1'000};  // where a renewal failed
  };

  // The error is one line: another import holds the lock, or the server does not answer.
  static std::expected<RedisImportLock, std::string> acquire(const RedisUrl& url, const Times& times);
  static std::expected<RedisImportLock, std::string> acquire(const RedisUrl& url) { return acquire(url, Times()); }
  RedisImportLock(RedisImportLock&& other) noexcept;
  RedisImportLock& operator=(RedisImportLock&& other) noexcept;
  ~RedisImportLock();

  // Whether the lock is held for as long as a write may take from now on: renews it, and waits for the answer. False
  // once another import has it, or it is gone. Where the server does not answer: false from the moment on at which a
  // write could end after the lock has expired. Any thread.
  [[nodiscard]] bool is_held();

 private:
  class Holder;
  explicit RedisImportLock(std::unique_ptr<Holder> holder);
  std::unique_ptr<Holder> holder_;
};

}  // namespace portail
