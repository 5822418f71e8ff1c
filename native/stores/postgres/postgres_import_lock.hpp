// One import at a time (docs/how-to/import.md, "What it does"), for a store in PostgreSQL: an advisory lock of a
// connection of its own, which ends with the connection, however that ends. It keeps no reader and no server out. One
// thread at a time.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

class PostgresImportLock {
 public:
  // The error is one line: another import holds the lock, or the server does not answer.
  static std::expected<PostgresImportLock, std::string> acquire(const PostgresUrl& url);

  PostgresImportLock(PostgresImportLock&&) = default;
  PostgresImportLock& operator=(PostgresImportLock&&) = delete;
  // Lets go of it, and waits until the server has: a server may notice that a connection has ended later than the next
  // import begins.
  ~PostgresImportLock();

  // Whether the connection still is there, and the lock with it: asks the server.
  [[nodiscard]] bool is_held();

 private:
  explicit PostgresImportLock(PostgresConnection connection) : connection_(std::move(connection)) {}

  PostgresConnection connection_;
};

}  // namespace portail
