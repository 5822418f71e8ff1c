// Whether a Redis or Valkey server can keep a portal that is written to: it is the primary, its user may write, and as
// many replicas are connected as a write waits for. Nothing is written. One thread.
#pragma once

#include <expected>

#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

// Waits 1 s at most for replicas.
std::expected<void, RedisFault> try_to_write(const RedisUrl& url);

}  // namespace portail
