// One HTTPS GET of a small document, with limits for size and time. Any thread.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace portail::keys {

struct HttpsUrl {
  std::string host;  // without the brackets of an IPv6 address
  int port = 443;
  std::string target;  // path and query
};

// Parses an absolute https URL without user name or fragment (RFC 3986, RFC 9110 section 4.2.2); nullopt for other
// text.
std::optional<HttpsUrl> parse_https_url(std::string_view text);

// Returns the URL for messages: its query may have a secret.
constexpr std::string_view without_query(std::string_view url) { return url.substr(0, url.find('?')); }

struct HttpsOptions {
  std::string ca_file;                        // PEM file of trusted certificate authorities; empty: the system's
  std::chrono::milliseconds timeout{10'000};  // for the whole request, including name resolution
};

// Returns the body of a 200, at most 1 MiB. Verifies the server's certificate and does not follow redirects. The error
// is one line with the URL without its query. `deadline` applies also while the peer sends nothing; `stop` ends the
// call immediately.
std::expected<std::string, std::string> https_get(std::string_view url, const std::string& ca_file,
                                                  std::chrono::steady_clock::time_point deadline, std::stop_token stop);

}  // namespace portail::keys
