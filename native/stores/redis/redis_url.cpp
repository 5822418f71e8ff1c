#include "native/stores/redis/redis_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/http/percent.hpp"

namespace portail {
namespace {

constexpr std::uint16_t server_port = 6379;
constexpr std::uint16_t sentinel_port = 26379;
constexpr std::string_view no_host = "has no host, or one that is no name and no address";

std::unexpected<std::string> wrong(RedisScheme scheme, std::string_view what) {
  const std::string name = scheme.name();
  const std::string_view place =
      scheme.sentinels ? "HOST[:PORT][,HOST[:PORT]...]/PRIMARY[/DATABASE]" : "HOST[:PORT][/DATABASE]";
  return std::unexpected("the store " + name + ": " + std::string(what) + ": " + name + "://[USER:PASSWORD@]" +
                         std::string(place) + "[?NAME=VALUE&...]");
}

std::optional<unsigned> number(std::string_view text, unsigned largest) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > largest) return std::nullopt;
  return value;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto byte = percent_decoded(text, i);
    if (!byte) return std::nullopt;
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

bool is_of_a_host(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}
bool is_of_an_ipv6_address(char c) { return is_of_a_host(c) || c == ':' || c == '%'; }

// "HOST", "[ADDRESS]", and what follows it: "" or ":PORT".
std::optional<std::pair<std::string_view, std::string_view>> split_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const auto address = text.substr(1, end - 1);
    if (address.empty() || !std::ranges::all_of(address, is_of_an_ipv6_address)) return std::nullopt;
    return std::pair(address, text.substr(end + 1));
  }
  const auto host = text.substr(0, text.find(':'));
  constexpr std::size_t max_name = 253;  // of the DNS, RFC 1035
  if (host.empty() || host.size() > max_name || !std::ranges::all_of(host, is_of_a_host)) return std::nullopt;
  return std::pair(host, text.substr(host.size()));
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  const auto port = number(text, 65'535);
  return port && *port != 0 ? std::optional(static_cast<std::uint16_t>(*port)) : std::nullopt;
}

// "HOST" or "HOST:PORT".
std::expected<RedisAddress, std::string> parse_address(std::string_view text, RedisScheme scheme) {
  const auto place = split_host(text);
  if (!place) return wrong(scheme, no_host);
  const auto [host, after] = *place;
  if (after.empty())
    return RedisAddress{.host = std::string(host), .port = scheme.sentinels ? sentinel_port : server_port};
  const auto port = after.starts_with(':') ? port_number(after.substr(1)) : std::nullopt;
  if (!port) return wrong(scheme, "has a port that is no number from 1 to 65535");
  return RedisAddress{.host = std::string(host), .port = *port};
}

// "USER:PASSWORD".
std::expected<void, std::string> take_user(std::string_view text, RedisScheme scheme, RedisUrl& url) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size())
    return wrong(scheme, "has a user without a password");
  auto user = unescaped(text.substr(0, colon));
  auto password = unescaped(text.substr(colon + 1));
  if (!user || !password) {
    return wrong(scheme, "has a % in its user or password that two hexadecimal digits do not follow");
  }
  url.user = std::move(*user);
  url.password = std::move(*password);
  return {};
}

std::expected<void, std::string> take_hosts(std::string_view text, RedisScheme scheme, RedisUrl& url) {
  if (!scheme.sentinels) {
    auto address = parse_address(text, scheme);
    if (!address) return std::unexpected(std::move(address.error()));
    url.host = std::move(address->host);
    url.port = address->port;
    return {};
  }
  for (const auto part : std::views::split(text, ',')) {
    auto address = parse_address(std::string_view(part), scheme);
    if (!address) return std::unexpected(std::move(address.error()));
    url.sentinels.push_back(std::move(*address));
  }
  if (url.sentinels.empty()) return wrong(scheme, no_host);
  return {};
}

// "", "/" or "/DATABASE"; with sentinels "/PRIMARY" before it.
std::expected<void, std::string> take_path(std::string_view text, RedisScheme scheme, RedisUrl& url) {
  if (scheme.sentinels) {
    const std::string_view name = text.empty() ? text : text.substr(1, text.find('/', 1) - 1);
    if (name.empty()) return wrong(scheme, "does not name the primary");
    if (!std::ranges::all_of(name, is_of_a_host)) {  // Sentinel itself allows no others
      return wrong(scheme, "names a primary with other characters than letters, digits and -._");
    }
    url.primary = name;
    text.remove_prefix(name.size() + 1);
  }
  if (text.size() <= 1) return {};
  const auto database = number(text.substr(1), 2'147'483'647);
  if (!database) return wrong(scheme, "has a database that is no number");
  url.database = *database;
  return {};
}

std::expected<void, std::string> take_parameter(std::string_view name, std::string_view value, RedisScheme scheme,
                                                RedisUrl& url) {
  const bool is_file = name == "sslrootcert" || name == "sslcert" || name == "sslkey";
  if (is_file && !scheme.tls) {
    const std::string by_tls = RedisScheme{.tls = true, .sentinels = scheme.sentinels}.name();
    return wrong(scheme, "has a file for TLS, which only " + by_tls + ": uses");
  }
  if (is_file) {
    auto file = unescaped(value);
    if (!file || file->empty() || file->contains('\0'))
      return wrong(scheme, "has a parameter for TLS that names no file");
    (name == "sslrootcert" ? url.sslrootcert : name == "sslcert" ? url.sslcert : url.sslkey) = std::move(*file);
    return {};
  }
  if (name == "replicas") {
    const auto replicas = number(value, RedisUrl::most_replicas);
    if (!replicas) return wrong(scheme, "has a number of replicas that is none from 0 to 100");
    url.replicas = *replicas;
    return {};
  }
  if (name != "pool") return wrong(scheme, "has a parameter that is not known (docs/reference/stores.md names them)");
  const auto pool = number(value, RedisUrl::largest_pool);
  if (!pool || *pool == 0) return wrong(scheme, "has a pool that is no number from 1 to 1000");
  url.pool = *pool;
  return {};
}

}  // namespace

std::string RedisScheme::name() const { return std::string(tls ? "rediss" : "redis") + (sentinels ? "+sentinel" : ""); }

std::string RedisAddress::text() const {
  return (host.contains(':') ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

std::optional<RedisAddress> redis_address(std::string_view host, std::string_view port) {
  const auto valid_port = port_number(port);
  constexpr std::size_t max_name = 253;  // of the DNS, RFC 1035
  if (host.empty() || host.size() > max_name || !std::ranges::all_of(host, is_of_an_ipv6_address) || !valid_port)
    return std::nullopt;
  return RedisAddress{.host = std::string(host), .port = *valid_port};
}

std::string RedisUrl::name() const {
  std::string name = RedisScheme{.tls = tls, .sentinels = !sentinels.empty()}.name() + "://";
  if (sentinels.empty()) name += RedisAddress{.host = host, .port = port}.text();
  for (const RedisAddress& sentinel : sentinels) {
    if (&sentinel != &sentinels.front()) name += ',';
    name += sentinel.text();
  }
  if (!primary.empty()) name += '/' + primary;
  return name + '/' + std::to_string(database);
}

std::expected<RedisUrl, std::string> parse_redis_url(std::string_view text, RedisScheme scheme) {
  RedisUrl url;
  url.tls = scheme.tls;
  if (!text.starts_with("//")) return wrong(scheme, "needs a host");
  text.remove_prefix(2);
  std::string_view query;
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  std::string_view authority = text.substr(0, text.find('/'));
  const std::string_view path = text.substr(authority.size());
  std::expected<void, std::string> taken;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    taken = take_user(authority.substr(0, at), scheme, url);
    authority.remove_prefix(at + 1);
  }
  if (taken) taken = take_hosts(authority, scheme, url);
  if (taken) taken = take_path(path, scheme, url);
  if (!taken) return std::unexpected(std::move(taken.error()));
  for (const auto part : std::views::split(query, '&')) {
    const std::string_view parameter(part);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const std::string_view value = parameter.substr(std::min(name.size() + 1, parameter.size()));
    taken = take_parameter(name, value, scheme, url);
    if (!taken) return std::unexpected(std::move(taken.error()));
  }
  if (url.replicas > 0 && url.pool < 2) return wrong(scheme, "needs a pool of 2 where writes wait for replicas");
  if (url.sslcert.empty() != url.sslkey.empty()) return wrong(scheme, "needs sslcert and sslkey together");
  return url;
}

}  // namespace portail
