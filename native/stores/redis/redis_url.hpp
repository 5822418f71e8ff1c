// Where a Redis or Valkey server is: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&…], as Spin and
// redis-cli write it, or whom to ask: redis+sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST…]/PRIMARY[/DATABASE]…, where
// the hosts are sentinels, and PRIMARY is their name for the server. rediss://… and rediss+sentinel://… are the same by
// TLS. With parameters of our own: pool, replicas, sslrootcert, sslcert, sslkey. User, password and files are
// percent-encoded where they hold other characters than letters, digits and -._~ . Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portail {

// What stands before the colon.
struct RedisScheme {
  bool tls = false;
  bool sentinels = false;

  [[nodiscard]] std::string name() const;
};

struct RedisAddress {
  std::string host;  // a name or an address, an IPv6 address without its brackets
  std::uint16_t port = 0;

  // For a person: HOST:PORT.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const RedisAddress&, const RedisAddress&) = default;
};

// Nothing where one of them is none.
std::optional<RedisAddress> redis_address(std::string_view host, std::string_view port);

struct RedisUrl {
  static constexpr unsigned largest_pool = 1000;
  static constexpr unsigned most_replicas = 100;

  std::string user;      // empty: the server's default user
  std::string password;  // empty: nothing is said about who we are
  std::string host;      // as in RedisAddress; empty where sentinels are asked
  std::uint16_t port = 6379;
  unsigned database = 0;
  unsigned pool = 4;      // connections at the same time
  unsigned replicas = 0;  // that must have a write before it counts as done
  bool tls = false;
  // Files, where they are not empty: of the authorities that the server's certificate is verified by (those of the
  // system without it), of our own certificate, and of its key.
  std::string sslrootcert = {};
  std::string sslcert = {};
  std::string sslkey = {};
  // Who is asked which server it is, and their name for it.
  std::vector<RedisAddress> sentinels = {};
  std::string primary = {};

  // For a person: redis://HOST:PORT/DATABASE or redis+sentinel://HOST:PORT,…/PRIMARY/DATABASE, never with user or
  // password.
  [[nodiscard]] std::string name() const;
};

// `text` is what follows the scheme's colon. The error is one line, and holds nothing of `text`: it may be a password.
std::expected<RedisUrl, std::string> parse_redis_url(std::string_view text, RedisScheme scheme = {});

}  // namespace portail
