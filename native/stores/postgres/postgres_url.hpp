// Where a PostgreSQL server is: postgres://[USER[:PASSWORD]@]HOST[:PORT][,HOST…]/DATABASE[?NAME=VALUE&…], as libpq and
// psql write it, with two parameters of our own: table and pool. What it does not say libpq takes from its own means:
// PGUSER, PGPASSFILE, PGSSLMODE and their like. Values; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

struct PostgresUrl {
  // The smallest with which a request that holds two sessions, and writes, can never wait for its like only.
  static constexpr std::size_t least_pool = 4;
  static constexpr std::size_t largest_pool = 1000;

  std::vector<std::pair<std::string, std::string>> parameters;  // as libpq takes them, the password included
  std::string table = "portail";                                // NAME or SCHEMA.NAME, of [a-z0-9_]
  std::size_t pool = 16;                                        // connections at the same time
  std::string name;  // for a person: postgres://HOST:PORT/DATABASE, never with user or password

  // What the address says, or else the environment, or else `preset`.
  [[nodiscard]] std::string value(std::string_view keyword, const char* variable, std::string_view preset) const;

  // For each address, until it has answered: by the address, or by PGCONNECT_TIMEOUT.
  [[nodiscard]] std::chrono::seconds connect_timeout() const;

  // Whether a connection is made only to a server that takes writes: by the address, or by PGTARGETSESSIONATTRS.
  [[nodiscard]] bool wants_primary() const;
};

// `text` is what follows "postgres:". The error is one line, and holds nothing of `text`: it may be a password.
std::expected<PostgresUrl, std::string> parse_postgres_url(std::string_view text);

}  // namespace portail
