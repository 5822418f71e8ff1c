#include "native/stores/redis/redis_url.hpp"

#include <algorithm>
#include <array>
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

#include "core/http/target.hpp"
#include "native/stores/url_faults.hpp"

namespace portail::redis {
namespace {

constexpr std::uint16_t server_port = 6379;
constexpr std::uint16_t sentinel_port = 26379;
constexpr std::string_view no_host = "the host is missing or invalid";

std::unexpected<std::string> invalid(Scheme scheme, std::string_view what) {
  const std::string name = scheme.name();
  const std::string_view form =
      scheme.sentinels ? "HOST[:PORT][,HOST[:PORT]...]/PRIMARY[/DATABASE]" : "HOST[:PORT][/DATABASE]";
  return std::unexpected("the store " + name + ": " + std::string(what) + ": " + name + "://[USER:PASSWORD@]" +
                         std::string(form) + "[?NAME=VALUE&...]");
}

std::optional<unsigned> number(std::string_view text, unsigned max) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > max) return std::nullopt;
  return value;
}

std::optional<std::string> percent_decode(std::string_view text) {
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

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}
bool is_address_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

// Splits "HOST" or "[ADDRESS]" from the rest: "" or ":PORT".
std::optional<std::pair<std::string_view, std::string_view>> split_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const auto address = text.substr(1, end - 1);
    if (address.empty() || !std::ranges::all_of(address, is_address_character)) return std::nullopt;
    return std::pair(address, text.substr(end + 1));
  }
  const auto host = text.substr(0, text.find(':'));
  constexpr std::size_t max_name = 253;  // of the DNS, RFC 1035
  if (host.empty() || host.size() > max_name || !std::ranges::all_of(host, is_host_character)) return std::nullopt;
  return std::pair(host, text.substr(host.size()));
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  const auto port = number(text, 65'535);
  return port && *port != 0 ? std::optional(static_cast<std::uint16_t>(*port)) : std::nullopt;
}

// Parses "HOST" or "HOST:PORT".
std::expected<Address, std::string> parse_address(std::string_view text, Scheme scheme) {
  const auto parts = split_host(text);
  if (!parts) return invalid(scheme, no_host);
  const auto [host, rest] = *parts;
  if (rest.empty()) return Address{.host = std::string(host), .port = scheme.sentinels ? sentinel_port : server_port};
  const auto port = rest.starts_with(':') ? port_number(rest.substr(1)) : std::nullopt;
  if (!port) return invalid(scheme, "the port must be between 1 and 65535");
  return Address{.host = std::string(host), .port = *port};
}

// Parses "USER:PASSWORD".
std::expected<void, std::string> parse_user(std::string_view text, Scheme scheme, Url& url) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return invalid(scheme, "the password is missing");
  auto user = percent_decode(text.substr(0, colon));
  auto password = percent_decode(text.substr(colon + 1));
  if (!user || !password) return invalid(scheme, "a % in the user or password must be written as %25");
  url.user = std::move(*user);
  url.password = std::move(*password);
  return {};
}

std::expected<void, std::string> parse_hosts(std::string_view text, Scheme scheme, Url& url) {
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
  if (url.sentinels.empty()) return invalid(scheme, no_host);
  return {};
}

// Parses "", "/" or "/DATABASE"; with sentinels, "/PRIMARY" precedes it.
std::expected<void, std::string> parse_path(std::string_view text, Scheme scheme, Url& url) {
  if (scheme.sentinels) {
    const std::string_view name = text.empty() ? text : text.substr(1, text.find('/', 1) - 1);
    if (name.empty()) return invalid(scheme, "the name of the primary is missing");
    if (!std::ranges::all_of(name, is_host_character)) {  // the characters that Sentinel allows
      return invalid(scheme, "the name of the primary must have only letters, digits and -._");
    }
    url.primary = name;
    text.remove_prefix(name.size() + 1);
  }
  if (text.size() <= 1) return {};
  const auto database = number(text.substr(1), 2'147'483'647);
  if (!database) return invalid(scheme, "the database must be a number");
  url.database = *database;
  return {};
}

std::expected<void, std::string> parse_parameter(std::string_view parameter, std::string_view query, Scheme scheme,
                                                 Url& url) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  const std::string_view value = parameter.substr(std::min(name.size() + 1, parameter.size()));
  const bool is_file = name == "sslrootcert" || name == "sslcert" || name == "sslkey";
  if (is_file && !scheme.tls) {
    const std::string by_tls = Scheme{.tls = true, .sentinels = scheme.sentinels}.name();
    return invalid(scheme, "TLS files require " + by_tls + ":");
  }
  if (is_file) {
    auto file = percent_decode(value);
    if (!file || file->empty() || file->contains('\0')) return invalid(scheme, "a TLS parameter must name a file");
    (name == "sslrootcert" ? url.sslrootcert : name == "sslcert" ? url.sslcert : url.sslkey) = std::move(*file);
    return {};
  }
  if (name == "replicas") {
    const auto replicas = number(value, Url::max_replicas);
    if (!replicas) return invalid(scheme, "replicas must be between 0 and 100");
    url.replicas = *replicas;
    return {};
  }
  constexpr std::array<std::string_view, 5> known{"pool", "replicas", "sslrootcert", "sslcert", "sslkey"};
  if (name != "pool") return invalid(scheme, unknown_parameter(name, query, known));
  const auto pool = number(value, Url::max_pool);
  if (!pool || *pool == 0) return invalid(scheme, "pool must be between 1 and 1000");
  url.pool = *pool;
  return {};
}

}  // namespace

std::string Scheme::name() const { return std::string(tls ? "rediss" : "redis") + (sentinels ? "+sentinel" : ""); }

std::string Address::text() const {
  return (host.contains(':') ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

std::optional<Address> make_address(std::string_view host, std::string_view port) {
  const auto valid_port = port_number(port);
  constexpr std::size_t max_name = 253;  // of the DNS, RFC 1035
  if (host.empty() || host.size() > max_name || !std::ranges::all_of(host, is_address_character) || !valid_port)
    return std::nullopt;
  return Address{.host = std::string(host), .port = *valid_port};
}

std::string Url::name() const {
  std::string name = Scheme{.tls = tls, .sentinels = !sentinels.empty()}.name() + "://";
  if (sentinels.empty()) name += Address{.host = host, .port = port}.text();
  for (const Address& sentinel : sentinels) {
    if (&sentinel != &sentinels.front()) name += ',';
    name += sentinel.text();
  }
  if (!primary.empty()) name += '/' + primary;
  return name + '/' + std::to_string(database);
}

std::expected<Url, std::string> parse_url(std::string_view text, Scheme scheme) {
  Url url;
  url.tls = scheme.tls;
  if (!text.starts_with("//")) return invalid(scheme, "the host is missing");
  text.remove_prefix(2);
  if (const std::string fault = misplaced_separator(text); !fault.empty()) return invalid(scheme, fault);
  std::string_view query;
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  std::string_view authority = text.substr(0, text.find('/'));
  const std::string_view path = text.substr(authority.size());
  std::expected<void, std::string> parsed;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parsed = parse_user(authority.substr(0, at), scheme, url);
    authority.remove_prefix(at + 1);
  }
  if (parsed) parsed = parse_hosts(authority, scheme, url);
  if (parsed) parsed = parse_path(path, scheme, url);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  for (const auto part : std::views::split(query, '&')) {
    parsed = parse_parameter(std::string_view(part), query, scheme, url);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
  }
  if (url.replicas > 0 && url.pool < 2) return invalid(scheme, "pool must be at least 2 if replicas is set");
  if (url.sslcert.empty() != url.sslkey.empty()) return invalid(scheme, "sslcert and sslkey must be given together");
  return url;
}

}  // namespace portail::redis
