// Checks whether a portal can write to a Redis or Valkey server: the server is the primary, the user may write, and as
// many replicas are connected as a write waits for. Changes nothing. One thread.
#pragma once

#include <expected>

#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail::redis {

// Waits for replicas for at most 1 s.
std::expected<void, Fault> try_to_write(const Url& url);

}  // namespace portail::redis
