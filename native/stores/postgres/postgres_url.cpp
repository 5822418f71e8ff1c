#include "native/stores/postgres/postgres_url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <libpq-fe.h>

namespace portail {
namespace {

// Of libpq's own, those that a portal may need.
constexpr std::array<std::string_view, 12> taken_by_libpq = {
    "application_name", "channel_binding", "connect_timeout", "gssencmode",           "load_balance_hosts", "sslcert",
    "sslkey",           "sslmode",         "sslrootcert",     "target_session_attrs", "tcp_user_timeout",   "passfile"};

// With 0, or a time without bound, one address that says nothing would keep all others from being tried.
bool is_connect_timeout(std::string_view text) {
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return error == std::errc{} && end == text.data() + text.size() && seconds >= 1 && seconds <= 10;
}

std::unexpected<std::string> wrong(std::string_view what) {
  return std::unexpected("the store postgres: " + std::string(what) +
                         ": postgres://[USER@]HOST[:PORT][,HOST...]/DATABASE[?NAME=VALUE&...]");
}

bool is_of_a_host(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view(".-_:%/,").contains(c);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// NAME or SCHEMA.NAME, as SQL takes it without quotes.
bool is_table(std::string_view text) {
  if (text.empty() || text.size() > 127 || std::ranges::count(text, '.') > 1) return false;
  return std::ranges::all_of(std::views::split(text, '.'), [](const auto& part) {
    const std::string_view word(part);
    return !word.empty() && !is_digit(word.front()) &&
           std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z'); });
  });
}

// Takes what is ours out of the query; what is left over is libpq's: "?sslmode=verify-full".
std::expected<std::string, std::string> take_own(std::string_view query, PostgresUrl& url) {
  std::string others;
  for (const auto part : std::views::split(query, '&')) {
    const std::string_view parameter(part);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const std::string_view value = parameter.substr(std::min(name.size() + 1, parameter.size()));
    if (name == "table") {
      if (!is_table(value)) return wrong("has a table that is no NAME or SCHEMA.NAME of a-z, 0-9 and _");
      url.table = value;
    } else if (name == "pool") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), url.pool);
      if (error != std::errc{} || end != value.data() + value.size() || url.pool < PostgresUrl::least_pool ||
          url.pool > PostgresUrl::largest_pool) {
        return wrong("has a pool that is no number from 4 to 1000");
      }
    } else if (name == "connect_timeout" && !is_connect_timeout(value)) {
      return wrong("has a connect_timeout that is no number of seconds from 1 to 10");
    } else if (std::ranges::contains(taken_by_libpq, name)) {
      others.append(others.empty() ? "?" : "&").append(parameter);
    } else {
      return wrong("has a parameter that is not known (docs/reference/stores.md names them)");
    }
  }
  return others;
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

// "a:5432,b:5433" of "a,b" and "5432,5433"; a host without a port has the usual one.
std::string places(std::string_view hosts, std::string_view ports) {
  std::string text;
  const bool one_port = !ports.contains(',');
  for (const auto part : std::views::split(hosts, ',')) {
    const std::string_view host(part);
    const std::string_view port = ports.substr(0, ports.find(','));
    if (!text.empty()) text += ',';
    const bool in_brackets = host.contains(':');
    text.append(in_brackets ? "[" : "").append(host).append(in_brackets ? "]" : "");
    text.append(":").append(port.empty() ? "5432" : port);
    if (!one_port) ports.remove_prefix(std::min(port.size() + 1, ports.size()));
  }
  return text;
}

bool are_ports(std::string_view text) {
  return std::ranges::all_of(std::views::split(text, ','), [](const auto& part) {
    const std::string_view port(part);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
    return port.empty() || (error == std::errc{} && end == port.data() + port.size() && value >= 1 && value <= 65'535);
  });
}

}  // namespace

std::string PostgresUrl::value(std::string_view keyword, const char* variable, std::string_view preset) const {
  for (const auto& [given, text] : parameters) {
    if (given == keyword && !text.empty()) return text;
  }
  const char* const usual = std::getenv(variable);
  return std::string(usual && *usual != '\0' ? usual : preset);
}

std::chrono::seconds PostgresUrl::connect_timeout() const {
  return std::chrono::seconds(std::stoi(value("connect_timeout", "PGCONNECT_TIMEOUT", "2")));
}

bool PostgresUrl::wants_primary() const {
  const std::string wanted = value("target_session_attrs", "PGTARGETSESSIONATTRS", "any");
  return wanted == "read-write" || wanted == "primary";
}

std::expected<PostgresUrl, std::string> parse_postgres_url(std::string_view text) {
  if (!text.starts_with("//")) return wrong("needs a host");
  PostgresUrl url;
  const std::size_t query = text.find('?');
  std::string address = "postgres:" + std::string(text.substr(0, query));
  if (query != std::string_view::npos) {
    auto others = take_own(text.substr(query + 1), url);
    if (!others) return std::unexpected(std::move(others.error()));
    address += *others;
  }
  if (const char* const usual = std::getenv("PGCONNECT_TIMEOUT");
      usual && *usual != '\0' && !is_connect_timeout(usual)) {
    return std::unexpected("the store postgres: PGCONNECT_TIMEOUT is no number of seconds from 1 to 10");
  }
  // What libpq has to say about an address may hold parts of it.
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(PQconninfoParse(address.c_str(), nullptr));
  if (!options) return wrong("cannot be read");
  std::string_view hosts;
  std::string_view ports;
  std::string_view database;
  for (const PQconninfoOption* option = options.get(); option->keyword; ++option) {
    if (!option->val) continue;
    const std::string_view keyword = option->keyword;
    url.parameters.emplace_back(keyword, option->val);
    if (keyword == "host") hosts = option->val;
    if (keyword == "port") ports = option->val;
    if (keyword == "dbname") database = option->val;
  }
  // A password with an @ or a / that is not percent-encoded ends up in one of these.
  if (hosts.empty() || !std::ranges::all_of(hosts, is_of_a_host)) {
    return wrong("has no host, or one that is no name and no address");
  }
  if (!are_ports(ports)) return wrong("has a port that is no number from 1 to 65535");
  if (database.empty()) return wrong("needs a database");
  if (database.contains('@') || database.contains('/')) return wrong("has a database with an @ or a / in its name");
  url.name = "postgres://" + places(hosts, ports) + '/' + std::string(database);
  return url;
}

}  // namespace portail
