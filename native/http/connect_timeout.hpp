// The timeout to connect of a cpp-httplib client.
#pragma once

#include <chrono>
#include <ctime>

namespace portail {

// Sets the timeout in microseconds only. If the seconds are not 0, cpp-httplib 0.41 resolves names by getaddrinfo_a;
// when that fails it returns while glibc's thread still writes to its stack frame (cpp-httplib issue 2431, fixed in
// 0.44). Otherwise it calls getaddrinfo, which has no timeout: call look_up_host first, unless the host is an address.
template <class Client>
void set_connect_timeout(Client& client, std::chrono::milliseconds timeout) {
  client.set_connection_timeout(0, static_cast<std::time_t>(timeout / std::chrono::microseconds(1)));
}

}  // namespace portail
