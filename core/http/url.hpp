// Absolute URLs of HTTP (RFC 3986, RFC 9110 section 4.2). Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portail {

struct Url {
  bool is_https = true;
  std::string host;  // without the brackets of an IPv6 address
  int port = 443;
  std::string authority;  // as written: "issuer.example:8443", "[::1]"
  std::string target;     // path and query; begins with '/'
};

// Parses an http or https URL without user name or fragment; nullopt for other text.
std::optional<Url> parse_url(std::string_view text);

// The same, for https only.
std::optional<Url> parse_https_url(std::string_view text);

// Parses a decimal number in the canonical form that browsers write: without leading zeros.
std::optional<std::uint32_t> parse_canonical_number(std::string_view text);

// Returns whether the text is an IPv4 address of four canonical numbers.
[[nodiscard]] bool is_ipv4(std::string_view text);

// Returns whether the host is localhost (RFC 6761 section 6.3), ::1, or an IPv4 address of 127.0.0.0/8 in four decimal
// numbers. Other spellings of such an address are not recognised.
[[nodiscard]] bool is_loopback(const Url& url);

// Returns the URL for messages: its query may have a secret.
constexpr std::string_view without_query(std::string_view url) { return url.substr(0, url.find('?')); }

}  // namespace portail
