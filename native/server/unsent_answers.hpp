// Who is broken off when clients leave too much of their answers unread. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "native/http/byte_stream.hpp"
#include "native/server/address_range.hpp"

namespace portail {

// An answer that waits until its client takes more of it.
struct UnsentAnswer {
  IpAddress customer;
  std::size_t bytes = 0;  // of memory
  Deadline deadline;      // until when it waits: the earlier, the longer its client has taken nothing
};

// Those to be given up, by their places in `answers`, so that what remains is at most `most` bytes: each time, of the
// customer whose answers occupy the most, the one that has waited longest. A client that takes what it asked for loses
// nothing to one that asks for everything and takes none of it.
std::vector<std::size_t> answers_to_break_off(std::span<const UnsentAnswer> answers, std::size_t most);

}  // namespace portail
