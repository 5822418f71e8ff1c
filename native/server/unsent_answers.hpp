// Selects the answers to cut off if clients leave too many bytes unread. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "native/http/byte_stream.hpp"
#include "native/server/address_range.hpp"

namespace portail::server {

// An answer that waits for its client.
struct UnsentAnswer {
  IpAddress client;
  std::size_t bytes = 0;  // of memory
  Deadline deadline;      // of the wait: the earlier, the longer the client has received nothing
};

// Returns the indices of the answers to cut off, so that the others occupy at most `max_bytes`. Each step selects, of
// the client whose answers occupy most, the one that has waited longest. So a client that reads its answers does not
// lose them to one that requests many and reads none.
std::vector<std::size_t> answers_to_abort(std::span<const UnsentAnswer> answers, std::size_t max_bytes);

}  // namespace portail::server
