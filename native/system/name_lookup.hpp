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
// the deadline, "stopped" after a request of `stop`, or that no thread can be started. After the deadline or a stop the
// lookup continues in its thread, which has no reference to the caller. Any thread.
std::expected<Addresses, std::string> look_up_host(const std::string& host, int port,
                                                   std::chrono::steady_clock::time_point deadline,
                                                   std::stop_token stop = {});

}  // namespace portail
