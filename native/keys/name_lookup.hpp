// Name resolution with a deadline.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace portail::keys {

// Resolves the name once, and returns true when the resolver has answered, also with an error. Returns false if the
// deadline passes or `stop` is requested before; the lookup then continues in a separate thread, which has no
// reference to the caller. Any thread; may throw std::system_error.
bool wait_for_name(const std::string& host, std::chrono::steady_clock::time_point deadline, std::stop_token stop);

}  // namespace portail::keys
