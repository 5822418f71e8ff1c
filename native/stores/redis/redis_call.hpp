// One call of the store: what is asked of the server, and its replies, one a command, none of them an error. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_protocol.hpp"

namespace portail {

struct RedisQuestion {
  // A read whose connection was lost is done once more on another one; a write never is, since it is unknown whether it
  // was done.
  enum class Effect : std::uint8_t { read, write };

  RedisRequest request;
  Effect effect = Effect::read;
  bool waits =
      false;  // the server takes its time with the answer, and answers nothing else on that connection meanwhile
  EngineDeadline deadline;
  std::size_t keys = 1;      // how many it reads or writes, about
  std::uint64_t client = 0;  // calls of different clients take turns; 0: unknown
};

using RedisCall = EngineCall<RedisQuestion, std::vector<RedisReply>, RedisFault>;

}  // namespace portail
