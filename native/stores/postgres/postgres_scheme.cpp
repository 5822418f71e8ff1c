#include "native/stores/postgres/postgres_scheme.hpp"

#include "native/stores/postgres/postgres_import_lock.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

std::expected<void, std::string> check_postgres(std::string_view place) {
  return parse_postgres_url(place).transform([](const PostgresUrl&) {});
}

OpenedStore open_postgres(std::string_view place, StoreAccess access) {
  return parse_postgres_url(place).and_then(
      [access](const PostgresUrl& url) -> OpenedStore { return PostgresStore::open(url, access); });
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
