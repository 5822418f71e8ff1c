// Name resolution with a deadline.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>

#include <netdb.h>

namespace portail {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// Returns the stream addresses of a host, never an empty list. The error is the resolver's message, "timed out" after
// the deadline, or "stopped" after a request of `stop`; in the last two cases the lookup continues in a separate
// thread, which has no reference to the caller. Any thread; may throw std::system_error.
std::expected<Addresses, std::string> look_up_host(const std::string& host, int port,
                                                   std::chrono::steady_clock::time_point deadline,
                                                   std::stop_token stop = {});

}  // namespace portail
