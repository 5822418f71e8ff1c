// One call of the store: the query that is sent to the server. The outcome has one reply for each command, none of them
// an error. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_protocol.hpp"

namespace portail::redis {

struct Query {
  // A read is retried once over another connection if its connection is lost. A write is never retried, since it may
  // have been done.
  enum class Effect : std::uint8_t { read, write };

  Request request;
  Effect effect = Effect::read;
  bool waits_for_replicas =
      false;  // the server delays its reply, and executes nothing else on that connection meanwhile
  engine::Deadline deadline;
  std::size_t keys = 1;      // approximate number of keys that the call reads or writes
  std::uint64_t client = 0;  // calls of different clients are served in turn; 0: unknown
};

using Call = engine::Call<Query, std::vector<Reply>, Fault>;

}  // namespace portail::redis
