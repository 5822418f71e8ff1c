// PostgreSQL as a kind of store: its opening, and its lock of imports.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::postgres {

// The lock that allows one import at a time into a store in PostgreSQL (docs/how-to/import.md, "What it does"): an
// advisory lock of a connection of its own, which ends with that connection. It does not block readers and servers. One
// thread at a time.

class ImportLock {
 public:
  // The error is one line: another import holds the lock, or the server does not respond.
  static std::expected<ImportLock, std::string> acquire(const Url& url);

  ImportLock(ImportLock&&) = default;
  ImportLock& operator=(ImportLock&&) = delete;
  // Releases the lock and waits for the server's confirmation: without it, the next import could begin before the
  // server notices that the connection is closed.
  ~ImportLock();

  // Asks the server whether the connection still exists, and the lock with it.
  [[nodiscard]] bool is_held();

 private:
  explicit ImportLock(Connection connection) : connection_(std::move(connection)) {}

  Connection connection_;
};

// postgres://HOST/DATABASE, a server for several machines: the functions of its row in native/stores/store_url.cpp.

std::expected<void, std::string> check_location(std::string_view location);
OpenedStore open_store(std::string_view location, StoreAccess access);
std::vector<StoreWarning> find_warnings(std::string_view location);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location);
bool holds_import_lock(const HeldImportLock& lock);
std::optional<std::string> display_name(std::string_view location);
PoolCounts pool_counts(KeyValueStore& store);

}  // namespace portail::postgres
