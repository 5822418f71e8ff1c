// Connects to the server of a URL: the one that it names, or the current primary according to its sentinels. Any
// thread.
//
// The sentinels are queried in the URL's order, each for at most one second. The server that a sentinel reports must
// confirm by ROLE that it is the primary. If it does not, or cannot be reached, the next sentinel is queried: it may
// have seen a failover that others have missed. User and password are sent only to sentinels that require them.
#pragma once

#include <expected>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail::redis {

// As Connection::open, whose timeout applies to each server.
std::expected<Connection, Fault> connect_to_primary(const Url& url, engine::Deadline deadline);

}  // namespace portail::redis
