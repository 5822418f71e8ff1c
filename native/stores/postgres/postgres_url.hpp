// The URL of a PostgreSQL server: postgres://[USER[:PASSWORD]@]HOST[:PORT][,HOST…]/DATABASE[?NAME=VALUE&…], in libpq's
// syntax, with two parameters of the portal: table and pool. libpq takes missing parameters from its own sources:
// PGUSER, PGPASSFILE, PGSSLMODE and others. Values; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail::postgres {

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

}  // namespace portail::postgres
