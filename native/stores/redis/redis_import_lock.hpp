// The lock that allows one import at a time into a store in Redis (docs/how-to/import.md, "What it does"): a key
// outside the portal's key space, which the importing process sets and a thread of its own renews. It does not block
// readers and servers. It expires half a minute after the process died or was suspended.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "native/stores/redis/redis_url.hpp"

namespace portail::redis {

class ImportLock {
 public:
  static constexpr std::string_view key = "portail:import";  // the portal's own keys have no colon
  struct Times {
    std::chrono::milliseconds expiry{30'000};
    std::chrono::milliseconds renewal{10'000};
    std::chrono::milliseconds retry{1'000};  // after a renewal that failed
  };

  // The error is one line: another import holds the lock, or the server does not respond.
  static std::expected<ImportLock, std::string> acquire(const Url& url, const Times& times);
  static std::expected<ImportLock, std::string> acquire(const Url& url) { return acquire(url, Times()); }
  ImportLock(ImportLock&& other) noexcept;
  ImportLock& operator=(ImportLock&& other) noexcept;
  ~ImportLock();

  // Renews the lock and waits for the reply. Returns whether the lock is held for the duration of a write that begins
  // now. Returns false for good once another import holds the lock or its key is gone. If the server does not respond,
  // returns false once such a write could end after the lock's expiry. Any thread.
  [[nodiscard]] bool is_held();

 private:
  class Holder;
  explicit ImportLock(std::unique_ptr<Holder> holder);
  std::unique_ptr<Holder> holder_;
};

}  // namespace portail::redis
