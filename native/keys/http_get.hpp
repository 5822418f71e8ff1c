// One HTTP GET of a small document, with limits for size and time. Any thread.
#pragma once

#include <chrono>
#include <expected>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/http/transport.hpp"

namespace portail::keys {

struct FetchOptions {
  std::string ca_file;                        // PEM file of trusted certificate authorities; empty: the system's
  std::chrono::milliseconds timeout{10'000};  // for the whole request, including name resolution
};

// Returns the body of a 200, at most max_fetched_size. parse_key_url() must accept the URL with `transport`. Verifies
// the server's certificate and does not follow redirects. The error is one line with the URL without its query.
// `deadline` applies also while the peer sends nothing; `stop` ends the call immediately.
std::expected<std::string, std::string> http_get(std::string_view url, Transport transport, const std::string& ca_file,
                                                 std::chrono::steady_clock::time_point deadline, std::stop_token stop);

}  // namespace portail::keys
