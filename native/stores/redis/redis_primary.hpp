// A connection to the server that a URL leads to: to the one that it names, or to the one that is the primary now by
// what its sentinels say. Any thread.
//
// The sentinels are asked in the URL's order, each for a second at most, and whom one of them names must say
// itself that it is the primary. Where it does not, or cannot be reached, the next one is asked: it may know of a
// failover that others have missed. Sentinels are told user and password only where they want them.
#pragma once

#include <expected>

#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

// As RedisConnection::open, which bounds each server's part.
std::expected<RedisConnection, RedisFault> connect_to_primary(const RedisUrl& url, EngineDeadline deadline);

}  // namespace portail
