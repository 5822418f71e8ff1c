// The URL of a Redis or Valkey server, as in Spin and redis-cli: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]
// [?NAME=VALUE&…]; or of its sentinels: redis+sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST…]/PRIMARY[/DATABASE]…, where
// PRIMARY is the sentinels' name of the server. rediss://… and rediss+sentinel://… use TLS. The parameters are the
// portal's own: pool, replicas, sslrootcert, sslcert, sslkey. In user, password and files, characters other than
// letters, digits and -._~ are percent-encoded. Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portail::redis {

// The part before the colon.
struct Scheme {
  bool tls = false;
  bool sentinels = false;

  [[nodiscard]] std::string name() const;
};

struct Address {
  std::string host;  // a name or an address; an IPv6 address without brackets
  std::uint16_t port = 0;

  // Returns HOST:PORT, for messages.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// Returns nullopt if the host or the port is invalid.
std::optional<Address> make_address(std::string_view host, std::string_view port);

struct Url {
  static constexpr unsigned max_pool = 1000;
  static constexpr unsigned max_replicas = 100;

  std::string user;      // empty: the server's default user
  std::string password;  // empty: the client does not authenticate
  std::string host;      // as in Address; empty with sentinels
  std::uint16_t port = 6379;
  unsigned database = 0;
  unsigned pool = 4;      // connections, at most
  unsigned replicas = 0;  // that must acknowledge a write
  bool tls = false;
  // Files: the authorities of the server's certificate (empty: those of the system), the client's certificate, and its
  // key.
  std::string sslrootcert = {};
  std::string sslcert = {};
  std::string sslkey = {};
  // The sentinels, and their name of the primary.
  std::vector<Address> sentinels = {};
  std::string primary = {};

  // Returns redis://HOST:PORT/DATABASE or redis+sentinel://HOST:PORT,…/PRIMARY/DATABASE, without user and password.
  [[nodiscard]] std::string name() const;
};

// Parses what follows the scheme's colon. The error is one line without any part of `text`, which may be a password.
std::expected<Url, std::string> parse_url(std::string_view text, Scheme scheme = {});

}  // namespace portail::redis
