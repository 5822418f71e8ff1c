// Where a PostgreSQL server is: its URL, its password file, its addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail::postgres {

// The URL of a PostgreSQL server: postgres://[USER[:PASSWORD]@]HOST[:PORT][,HOST…]/DATABASE[?NAME=VALUE&…], in libpq's
// syntax, with two parameters of the portal: table and pool. libpq takes missing parameters from its own sources:
// PGUSER, PGPASSFILE, PGSSLMODE and others. Values; any thread.

struct Url {
  // The smallest pool in which requests that hold two sessions and write cannot deadlock.
  static constexpr std::size_t min_pool = 4;
  static constexpr std::size_t max_pool = 1000;

  std::vector<std::pair<std::string, std::string>> parameters;  // for libpq, the password included
  std::string table = "portail";                                // NAME or SCHEMA.NAME, of [a-z0-9_]
  std::size_t pool = 16;                                        // connections, at most
  std::string name;  // for messages: postgres://HOST:PORT/DATABASE, without user and password

  // Returns the value of a parameter: of the URL, otherwise of the environment variable, otherwise `default_value`.
  [[nodiscard]] std::string value(std::string_view keyword, const char* variable, std::string_view default_value) const;

  // The timeout for each address: of the URL, or PGCONNECT_TIMEOUT. Default is 2 s.
  [[nodiscard]] std::chrono::seconds connect_timeout() const;

  // Whether only servers that accept writes are connected to: by the URL, or by PGTARGETSESSIONATTRS.
  [[nodiscard]] bool requires_primary() const;
};

// Parses what follows "postgres:". The error is one line without any part of `text`, which may be a password.
std::expected<Url, std::string> parse_url(std::string_view text);

// The files that libpq reads in the home directory, which HOME names: the password file and those of TLS. Any thread.

// Returns the keywords of the default files that libpq must not read: the password file and the certificate if HOME is
// the home of another user, and each file of another user that this process cannot read. A file that a setting names is
// not among them, nor is the certificate of a key that a setting names.
std::vector<const char*> foreign_files(const Url& url);

// Returns the message for a connection that needs the root certificates that foreign_files() excludes, in one line.
std::string ignored_root_fault();

// Returns why libpq would ignore the password file, in one line that names it: libpq reports that to standard error
// only. Empty if libpq reads the file, if another setting gives the password, or if no setting names the file and it
// does not exist or is foreign.
std::string passfile_fault(const Url& url);

// The network addresses of the servers that a URL names. libpq does not report how long it has tried each address of a
// name, so addresses that time out are excluded one by one. Any thread.

struct ServerAddress {
  std::string host;     // as in the URL: a name, an address, or the directory of a socket
  std::string address;  // numeric, if the name has several addresses; otherwise empty, and libpq resolves the name
  std::string port;     // empty: libpq's default

  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

// Returns the addresses in the order in which they are tried. Blocks while the system resolves names.
std::vector<ServerAddress> server_addresses(const Url& url);

// Joins their hosts, addresses or ports as libpq expects them: "a,a,b".
std::string join(const std::vector<ServerAddress>& addresses, std::string ServerAddress::* part);

}  // namespace portail::postgres
