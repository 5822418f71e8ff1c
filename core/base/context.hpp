// The environment of one request: the clock, random bytes, the log, memory, a deadline and caches. It is the first
// parameter of every coroutine. The host creates one for each request. It must keep the Context, and all objects that
// it refers to, until the request's Task has ended or is destroyed. One thread at a time.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/frame_arena.hpp"
#include "core/base/time.hpp"

namespace portail {

class AnswerCache;        // core/api/answer_cache.hpp
class RequestLimits;      // core/auth/request_limits.hpp
class TokenCache;         // core/auth/token_cache.hpp
class RequestSuspension;  // below

// A source of cryptographically secure random bytes. Any thread.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual void fill(std::span<std::byte> bytes) = 0;
};

// The log for operators; nothing of it is sent to clients. Any thread; never fails.
class Log {
 public:
  virtual ~Log() = default;
  // `event` is a constant phrase that names the event. `detail` is UTF-8, without tokens, keys or personal data.
  virtual void warn(std::string_view event, std::string_view detail) = 0;
  // Writes a line of level info that no setting filters. `members` are JSON members, each after a comma
  // (core/json/writer.hpp).
  virtual void record(std::string_view members) = 0;
};

struct Context {
  const Clock& clock;
  RandomSource& random;
  Log& log;
  FrameArena& frames;
  // After this instant a store that waits fails with Failure::cancelled. Default: no deadline.
  Instant deadline{std::numeric_limits<std::int64_t>::max()};
  // Verified tokens; null: no cache.
  TokenCache* token_cache = nullptr;
  // Answers; null: no cache.
  AnswerCache* answer_cache = nullptr;
  // Null: a request can wait for its store and its peer only.
  RequestSuspension* suspension = nullptr;
  // Null: no rate limits.
  RequestLimits* limits = nullptr;
};

// Suspends a request until another thread of its host wakes it, for example with a new key set. A suspended request
// occupies no thread. An interface; hosts with threads implement it, one object for each request.

class RequestSuspension {
 public:
  virtual ~RequestSuspension() = default;

  // Called by an awaiter of the request in its await_suspend(). `coroutine` is resumed once, on a thread of the host:
  // after wake(), soon after `until`, or when the request is cancelled. Spurious wake-ups are possible.
  virtual void suspend(std::coroutine_handle<> coroutine, std::chrono::steady_clock::time_point until) = 0;
  // Wakes the request. Any thread, as long as the request's Task exists. Acquires only the host's own lock, and never
  // blocks.
  virtual void wake() = 0;
  // Returns whether the request was cancelled, so that its answer is not needed. Any thread.
  [[nodiscard]] virtual bool is_cancelled() const = 0;
  // Returns the client of the request, for stores that serve clients in turn; 0: unknown. On the request's thread.
  [[nodiscard]] virtual std::uint64_t client() const { return 0; }
};

}  // namespace portail
