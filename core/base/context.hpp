// What one request is given beside its own data: everything that a portable core may not fetch for itself. It is the
// first parameter of every coroutine. The host makes one for each request and keeps it, and everything it refers to,
// until the request's Task has ended or is destroyed. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/frame_arena.hpp"
#include "core/base/time.hpp"

namespace portail {

class AnswerMemory;   // core/api/answer_memory.hpp
class RequestLimits;  // core/auth/request_limits.hpp
class TokenCache;     // core/auth/token_cache.hpp
class WaitingPlace;   // core/base/waiting_place.hpp

// Fills with unpredictable bytes. Callable from any thread.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual void fill(std::span<std::byte> bytes) = 0;
};

// Takes what an operator should know and a client should not. Callable from any thread; never fails.
class Log {
 public:
  virtual ~Log() = default;
  // `event` names what happened, in a constant phrase; `detail` is UTF-8, without tokens, keys or personal data.
  virtual void warn(std::string_view event, std::string_view detail) = 0;
};

struct Context {
  const Clock& clock;
  RandomSource& random;
  Log& log;
  FrameArena& frames;
  // After this instant a store that has to wait gives up with Failure::cancelled.
  Instant deadline{std::numeric_limits<std::int64_t>::max()};
  // What was verified before; null where nothing is remembered.
  TokenCache* token_cache = nullptr;
  // What was answered before; null where nothing is remembered.
  AnswerMemory* answers = nullptr;
  // Null where a request can wait for its store and its peer only.
  WaitingPlace* waiting_place = nullptr;
  // Null where requests are not limited.
  RequestLimits* limits = nullptr;
};

}  // namespace portail
