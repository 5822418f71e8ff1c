#include "native/stores/redis/redis_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
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

std::unexpected<std::string> wrong(const RedisUrl& url, std::string_view what) {
  const std::string scheme = url.tls ? "rediss" : "redis";
  return std::unexpected("the store " + scheme + ": " + std::string(what) + ": " + scheme +
                         "://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]");
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
  if (host.empty() || !std::ranges::all_of(host, is_of_a_host)) return std::nullopt;
  return std::pair(host, text.substr(host.size()));
}

std::expected<void, std::string> take_parameter(std::string_view name, std::string_view value, RedisUrl& url) {
  const bool is_file = name == "sslrootcert" || name == "sslcert" || name == "sslkey";
  if (is_file && !url.tls) return wrong(url, "has a file for TLS, which only rediss: uses");
  if (is_file) {
    auto file = unescaped(value);
    if (!file || file->empty() || file->contains('\0')) return wrong(url, "has a parameter for TLS that names no file");
    (name == "sslrootcert" ? url.sslrootcert : name == "sslcert" ? url.sslcert : url.sslkey) = std::move(*file);
    return {};
  }
  if (name == "replicas") {
    const auto replicas = number(value, RedisUrl::most_replicas);
    if (!replicas) return wrong(url, "has a number of replicas that is none from 0 to 100");
    url.replicas = *replicas;
    return {};
  }
  if (name != "pool") return wrong(url, "has a parameter that is not known (docs/stores.md names them)");
  const auto pool = number(value, RedisUrl::largest_pool);
  if (!pool || *pool == 0) return wrong(url, "has a pool that is no number from 1 to 1000");
  url.pool = *pool;
  return {};
}

}  // namespace

std::string RedisUrl::name() const {
  const std::string in_brackets = host.contains(':') ? '[' + host + ']' : host;
  return (tls ? "rediss://" : "redis://") + in_brackets + ':' + std::to_string(port) + '/' + std::to_string(database);
}

std::expected<RedisUrl, std::string> parse_redis_url(std::string_view text, bool tls) {
  RedisUrl url;
  url.tls = tls;
  if (!text.starts_with("//")) return wrong(url, "needs a host");
  text.remove_prefix(2);
  std::string_view query;
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  std::string_view authority = text.substr(0, text.find('/'));
  const std::string_view path = text.substr(authority.size());
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = authority.substr(0, at);
    const std::size_t colon = who.find(':');
    if (colon == std::string_view::npos || colon + 1 == who.size()) return wrong(url, "has a user without a password");
    auto user = unescaped(who.substr(0, colon));
    auto password = unescaped(who.substr(colon + 1));
    if (!user || !password)
      return wrong(url, "has a % in its user or password that two hexadecimal digits do not follow");
    url.user = std::move(*user);
    url.password = std::move(*password);
    authority.remove_prefix(at + 1);
  }
  const auto place = split_host(authority);
  if (!place) return wrong(url, "has no host, or one that is no name and no address");
  const auto [host, after] = *place;
  url.host = host;
  if (!after.empty()) {
    const auto port = after.starts_with(':') ? number(after.substr(1), 65'535) : std::nullopt;
    if (!port || *port == 0) return wrong(url, "has a port that is no number from 1 to 65535");
    url.port = static_cast<std::uint16_t>(*port);
  }
  if (path.size() > 1) {
    const auto database = number(path.substr(1), 2'147'483'647);
    if (!database) return wrong(url, "has a database that is no number");
    url.database = *database;
  }
  for (const auto part : std::views::split(query, '&')) {
    const std::string_view parameter(part);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const std::string_view value = parameter.substr(std::min(name.size() + 1, parameter.size()));
    if (auto taken = take_parameter(name, value, url); !taken) return std::unexpected(std::move(taken.error()));
  }
  if (url.replicas > 0 && url.pool < 2) return wrong(url, "needs a pool of 2 where writes wait for replicas");
  if (url.sslcert.empty() != url.sslkey.empty()) return wrong(url, "needs sslcert and sslkey together");
  return url;
}

}  // namespace portail
