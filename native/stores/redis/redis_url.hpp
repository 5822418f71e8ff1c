// Where a Redis or Valkey server is: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&…], as Spin and
// redis-cli write it, or rediss://…, by TLS; with parameters of our own: pool, replicas, sslrootcert, sslcert, sslkey.
// User, password and files are percent-encoded where they hold other characters than letters, digits and -._~ . Values;
// any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace portail {

struct RedisUrl {
  static constexpr unsigned largest_pool = 1000;
  static constexpr unsigned most_replicas = 100;

  std::string user;      // empty: the server's default user
  std::string password;  // empty: nothing is said about who we are
  std::string host;      // a name or an address, an IPv6 address without its brackets
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

  // For a person: redis://HOST:PORT/DATABASE or rediss://…, never with user or password.
  [[nodiscard]] std::string name() const;
};

// `text` is what follows "redis:", or "rediss:". The error is one line, and holds nothing of `text`: it may be a
// password.
std::expected<RedisUrl, std::string> parse_redis_url(std::string_view text, bool tls = false);

}  // namespace portail
