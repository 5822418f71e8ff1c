// Checks whether a portal can write to a Redis or Valkey server: the server is the primary, the user may write, and as
// many replicas are connected as a write waits for. Changes nothing. One thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail::redis {

// `connection` is to the primary of `url`. Waits for replicas for at most 1 s.
std::expected<void, Fault> try_to_write(Connection& connection, const Url& url);

// Returns what to do about the fault, to append to its message; empty if its cause is not known.
std::string_view remedy_for(const Fault& fault, const Url& url);

// Returns the message for a server that cannot be used because of the fault, with what to do.
std::string unusable(const Url& url, const Fault& fault);

// Returns the server's policy by which it removes values when its memory is full; empty if it removes none or does not
// answer, nullopt if the user may not read the policy. With a policy volatile-… it removes those that have an expiry,
// the import lock.
std::optional<std::string> eviction_policy(Connection& connection);

}  // namespace portail::redis
