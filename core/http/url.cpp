#include "core/http/url.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::string_view https_scheme = "https://";
constexpr std::string_view http_scheme = "http://";

bool begins_with(std::string_view text, std::string_view scheme) {
  return equals_ignoring_case(text.substr(0, scheme.size()), scheme);
}

// Parses a decimal number without a sign; nullopt if it is outside `min` to `max`.
std::optional<int> parse_number(std::string_view text, int min, int max) {
  int number = 0;
  const char* last = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || parsed != last || text.starts_with('-') || number < min || number > max) return {};
  return number;
}

// Divides "host", "host:port", "[address]" and "[address]:port". Returns false for other text.
bool read_authority(std::string_view authority, Url& url) {
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return false;
  const std::size_t colon = authority.find(':', bracket);
  if (colon != std::string_view::npos) {
    const auto port = parse_number(authority.substr(colon + 1), 1, 65'535);
    if (!port) return false;
    url.port = *port;
    authority = authority.substr(0, colon);
  }
  if (bracket > 0) {
    if (authority.size() != bracket + 1) return false;
    authority = authority.substr(1, bracket - 1);
  }
  url.host = authority;
  return !url.host.empty();
}

}  // namespace

std::optional<std::uint32_t> parse_canonical_number(std::string_view text) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || read != end || (text.starts_with('0') && text.size() > 1)) return std::nullopt;
  return number;
}

bool is_ipv4(std::string_view text) {
  if (text.ends_with('.')) return false;
  for (int remaining = 4; remaining > 0; --remaining) {
    const auto number = parse_canonical_number(take_until(text, '.'));
    if (!number || *number > 255) return false;
  }
  return text.empty();
}

std::optional<Url> parse_url(std::string_view text) {
  constexpr int https_port = 443;
  constexpr int http_port = 80;
  const auto is_plain = [](char c) { return is_visible_ascii(c) && c != '#' && c != '\\'; };
  const bool is_https = begins_with(text, https_scheme);
  if ((!is_https && !begins_with(text, http_scheme)) || !std::ranges::all_of(text, is_plain)) return {};
  text.remove_prefix(is_https ? https_scheme.size() : http_scheme.size());
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  Url url{.is_https = is_https,
          .host = {},
          .port = is_https ? https_port : http_port,
          .authority = std::string(text.substr(0, end)),
          .target = std::string(text.substr(end))};
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  if (url.authority.contains('@') || !read_authority(url.authority, url)) return {};
  return url;
}

std::optional<Url> parse_https_url(std::string_view text) {
  auto url = parse_url(text);
  return url && url->is_https ? std::move(url) : std::nullopt;
}

bool is_loopback(const Url& url) {
  return equals_ignoring_case(url.host, "localhost") || url.host == "::1" ||
         (url.host.starts_with("127.") && is_ipv4(url.host));
}

}  // namespace portail
