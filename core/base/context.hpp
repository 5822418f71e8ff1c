// The environment of one request: the clock, random bytes, the log, memory, a deadline and caches. It is the first
// parameter of every coroutine. The host creates one for each request. It must keep the Context, and all objects that
// it refers to, until the request's Task has ended or is destroyed. One thread at a time.
#pragma once

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
class RequestSuspension;  // core/base/request_suspension.hpp

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
  // (core/json/log_line.hpp).
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

}  // namespace portail
