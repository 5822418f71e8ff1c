// One GET over TLS for one small document, bounded in size and time. Any thread.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace portail {

struct HttpsUrl {
  std::string host;  // without the brackets of an IPv6 address
  int port = 443;
  std::string target;  // path and query
};

// An absolute https URL without user name or fragment (RFC 3986, RFC 9110 section 4.2.2); nothing for any other text.
std::optional<HttpsUrl> parse_https_url(std::string_view text);

// The URL as lines for the operator name it: its query may hold a key.
constexpr std::string_view without_query(std::string_view url) { return url.substr(0, url.find('?')); }

struct HttpsLimits {
  std::string authorities;                 // a PEM file of those that are trusted; empty: the system's
  std::chrono::milliseconds time{10'000};  // for everything, from the name's look-up to the last byte
};

// The body of a 200, at most 1 MiB. The server's certificate must be good for the host; redirects are not followed.
// Else why not, in a line that names the URL without its query. `deadline` counts also while nothing is said, and stop
// ends it at once.
std::expected<std::string, std::string> https_get(std::string_view url, const std::string& authorities,
                                                  std::chrono::steady_clock::time_point deadline, std::stop_token stop);

}  // namespace portail
