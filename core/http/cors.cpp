#include "core/http/cors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "core/http/header_fields.hpp"
#include "core/http/url.hpp"

namespace portail {
namespace {

constexpr std::string_view https = "https://";
constexpr std::string_view wildcard = "https://*.";
// Pages of `file:` have the origin `null`; WebSocket serves no pages.
constexpr std::array<std::string_view, 3> schemes_without_origin{"file", "ws", "wss"};

constexpr bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }

constexpr bool is_host_character(char c) {
  return is_lower_letter(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_';
}

bool is_host(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.back() != '.' && !text.contains("..") &&
         std::ranges::all_of(text, is_host_character);
}

// Browsers parse a host whose last label is a number as an IPv4 address: 127.1 is 127.0.0.1, and 1.2.3.256 is invalid.
bool ends_in_a_number(std::string_view host) {
  std::string_view last = host.substr(host.rfind('.') + 1);
  const bool hexadecimal = last.starts_with("0x");
  if (hexadecimal) last.remove_prefix(2);
  return std::ranges::all_of(
      last, [hexadecimal](char c) { return is_ascii_digit(c) || (hexadecimal && c >= 'a' && c <= 'f'); });
}

using Ipv6Groups = std::array<std::uint16_t, 8>;

// Parses groups of hexadecimal digits to the front of `groups` and returns their count; nullopt if `text` has other
// content.
std::optional<std::size_t> read_groups(std::string_view text, Ipv6Groups& groups) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::string_view group = take_until(text, ':');
    const char* end = group.data() + group.size();
    if (count == groups.size() || group.empty() || group.size() > 4) return std::nullopt;
    const auto [read, error] = std::from_chars(group.data(), end, groups[count++], 16);
    if (error != std::errc{} || read != end) return std::nullopt;
  }
  return count;
}

std::optional<Ipv6Groups> read_ipv6(std::string_view text) {
  Ipv6Groups groups{};
  const std::size_t gap = text.find("::");
  const auto before = read_groups(text.substr(0, gap), groups);
  if (!before) return std::nullopt;
  if (gap == std::string_view::npos) return *before == groups.size() ? std::optional(groups) : std::nullopt;
  Ipv6Groups last{};
  const auto after = read_groups(text.substr(gap + 2), last);
  if (!after || *before + *after >= groups.size()) return std::nullopt;
  std::copy_n(last.begin(), *after, groups.end() - static_cast<std::ptrdiff_t>(*after));
  return groups;
}

// Serializes as the URL standard: `::` replaces the first of the longest runs of at least two zero groups.
std::string write_ipv6(const Ipv6Groups& groups) {
  std::size_t gap = groups.size();
  std::size_t gap_size = 1;
  for (std::size_t start = 0; start < groups.size(); ++start) {
    std::size_t end = start;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - start > gap_size) {
      gap = start;
      gap_size = end - start;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == gap) {
      text += "::";
      i += gap_size - 1;
      continue;
    }
    std::array<char, 4> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), groups[i], 16);
    if (!text.empty() && !text.ends_with(':')) text += ':';
    text.append(digits.data(), end);
  }
  return text;
}

bool is_ipv6(std::string_view text) {
  const auto groups = read_ipv6(text);
  return groups && write_ipv6(*groups) == text;
}

// Returns whether `text` is a port that an origin may contain: not the scheme's default port.
bool is_port(std::string_view scheme, std::string_view text) {
  const auto port = parse_canonical_number(text);
  if (!port || *port == 0 || *port > 65535) return false;
  return !(scheme == "https" && *port == 443) && !(scheme == "http" && *port == 80);
}

// Removes the port and its colon from the end of `authority`. Returns false if the text after the colon is not a port.
bool take_port(std::string_view scheme, std::string_view& authority) {
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.ends_with(']')) return true;
  const std::string_view port = authority.substr(colon + 1);
  authority = authority.substr(0, colon);
  return is_port(scheme, port);
}

bool is_exact_origin(std::string_view text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  const std::string_view scheme = text.substr(0, end);
  const auto is_scheme_character = [](char c) {
    return is_lower_letter(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
  };
  if (!is_lower_letter(scheme.front()) || !std::ranges::all_of(scheme, is_scheme_character)) return false;
  if (std::ranges::contains(schemes_without_origin, scheme)) return false;
  std::string_view host = text.substr(end + 3);
  if (!take_port(scheme, host)) return false;
  if (host.starts_with('[') && host.ends_with(']')) return is_ipv6(host.substr(1, host.size() - 2));
  const bool is_web = scheme == "https" || scheme == "http";
  return is_host(host) && (!is_web || !ends_in_a_number(host) || is_ipv4(host));
}

bool is_wildcard(std::string_view setting) {
  if (!setting.starts_with(wildcard)) return false;
  std::string_view domain = setting.substr(wildcard.size());
  return take_port("https", domain) && is_host(domain) && !ends_in_a_number(domain);
}

bool matches_setting(std::string_view setting, std::string_view origin) {
  if (!is_wildcard(setting)) return setting == origin && is_exact_origin(setting);
  const std::string_view domain = setting.substr(wildcard.size() - 1);  // with its leading dot and its port, if any
  if (!origin.starts_with(https) || !origin.ends_with(domain) || origin.size() <= https.size() + domain.size()) {
    return false;
  }
  return is_host(origin.substr(https.size(), origin.size() - https.size() - domain.size()));
}

}  // namespace

bool is_origin_setting(std::string_view setting) { return is_wildcard(setting) || is_exact_origin(setting); }

bool is_allowed_origin(std::string_view origin, std::span<const std::string> allowed) {
  return std::ranges::any_of(allowed, [&](const std::string& setting) { return matches_setting(setting, origin); });
}

namespace {

std::optional<std::string_view> allowed_origin(const Request& request, std::span<const std::string> allowed) {
  const auto origin = find_header(request, "Origin");
  if (!origin || count_headers(request, "Origin") != 1 || !is_allowed_origin(*origin, allowed)) return std::nullopt;
  return origin;
}

// Returns whether `text` may be echoed: field names, commas and white space.
bool is_list_of_names(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_token_character(c) || c == ',' || c == ' ' || c == '\t'; });
}

}  // namespace

std::optional<Response> preflight_answer(const Request& request, std::span<const std::string> allowed) {
  if (request.method != "OPTIONS") return std::nullopt;
  const auto method = find_header(request, "Access-Control-Request-Method");
  if (!method || !is_token(*method) || !allowed_origin(request, allowed)) return std::nullopt;

  Response response;
  response.status = 204;
  response.headers.push_back({"Access-Control-Allow-Methods", std::string(*method)});
  const auto names = find_header(request, "Access-Control-Request-Headers");
  if (names && !names->empty() && is_list_of_names(*names)) {
    response.headers.push_back({"Access-Control-Allow-Headers", std::string(*names)});
  }
  response.headers.push_back({"Access-Control-Max-Age", "7200"});
  return response;
}

void add_cors_headers(Response& response, const Request& request, std::span<const std::string> allowed) {
  const auto origin = allowed_origin(request, allowed);
  if (!origin) return;
  response.headers.push_back({"Access-Control-Allow-Origin", std::string(*origin)});
  response.headers.push_back({"Access-Control-Allow-Credentials", "true"});
  response.headers.push_back(
      {"Access-Control-Expose-Headers",
       "_AbpErrorFormat, ETag, Content-Disposition, X-Correlation-Id, WWW-Authenticate, Retry-After, "
       "RateLimit-Policy, RateLimit"});
}

}  // namespace portail
