// Name resolution with a deadline, and without it in cpp-httplib.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace portail::keys {

// Resolves the name once, and returns true when the resolver has answered, also with an error. Returns false if the
// deadline passes or `stop` is requested before; the lookup then continues in a separate thread, which has no
// reference to the caller. Any thread; may throw std::system_error.
bool wait_for_name(const std::string& host, std::chrono::steady_clock::time_point deadline, std::stop_token stop);

// Sets the client's timeout to connect, in microseconds only. If the seconds are not 0, cpp-httplib 0.41 resolves names
// by getaddrinfo_a; when that fails it returns while glibc's thread still writes to its stack frame (cpp-httplib issue
// 2431, fixed in 0.44). Otherwise it calls getaddrinfo, which has no timeout: call wait_for_name first, unless the host
// is an address.
template <class Client>
void set_connect_timeout(Client& client, std::chrono::milliseconds timeout) {
  client.set_connection_timeout(0, static_cast<time_t>(timeout / std::chrono::microseconds(1)));
}

}  // namespace portail::keys
