#include "native/stores/postgres/postgres_scheme.hpp"

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_import_lock.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_table.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

std::expected<void, std::string> check_postgres(std::string_view place) {
  return parse_postgres_url(place).transform([](const PostgresUrl&) {});
}

OpenedStore open_postgres(std::string_view place, StoreAccess access) {
  return parse_postgres_url(place).and_then(
      [access](const PostgresUrl& url) -> OpenedStore { return PostgresStore::open(url, access); });
}

std::expected<void, std::string> try_to_write_postgres(std::string_view place) {
  const auto url = parse_postgres_url(place);
  if (!url) return std::unexpected(url.error());
  const auto tried = PostgresConnection::open(*url).and_then([&url](PostgresConnection connection) {
    return prepare(connection, url->table).and_then([&connection] { return try_to_write(connection); });
  });
  // All else was refused when it was opened, or has come since.
  if (tried || !tried.error().is_standby) return {};
  return std::unexpected(url->name + ": " + tried.error().text);
}

std::expected<HeldImportLock, std::string> lock_postgres(std::string_view place) {
  auto lock =
      parse_postgres_url(place).and_then([](const PostgresUrl& url) { return PostgresImportLock::acquire(url); });
  return std::move(lock).transform(
      [](PostgresImportLock held) { return std::make_shared<PostgresImportLock>(std::move(held)); });
}

std::optional<std::string> name_of_postgres(std::string_view place) {
  auto url = parse_postgres_url(place);
  return url ? std::optional(std::move(url->name)) : std::nullopt;
}

PoolCounts pool_of_postgres(KeyValueStore& store) { return static_cast<PostgresStore&>(store).pool(); }

bool holds_postgres(const HeldImportLock& lock) { return static_cast<PostgresImportLock*>(lock.get())->is_held(); }

}  // namespace portail
