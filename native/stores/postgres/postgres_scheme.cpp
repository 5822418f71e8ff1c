#include "native/stores/postgres/postgres_scheme.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_import_lock.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_table.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {

std::expected<void, std::string> check_location(std::string_view location) {
  return parse_url(location).transform([](const Url&) {});
}

OpenedStore open_store(std::string_view location, StoreAccess access) {
  return parse_url(location).and_then([access](const Url& url) -> OpenedStore { return Store::open(url, access); });
}

std::vector<StoreWarning> find_warnings(std::string_view location) {
  const auto url = parse_url(location);
  if (!url) return {};
  auto connection = Connection::open(*url);
  if (!connection) return {};
  const auto tried = prepare(*connection, url->table).and_then([&connection] { return try_to_write(*connection); });
  if (tried || tried.error().connection_lost) return {};
  return {StoreWarning{.kind = StoreWarning::Kind::refuses_writes,
                       .detail = url->name + ": " + with_remedy(*connection, *url, tried.error())}};
}

std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location) {
  auto lock = parse_url(location).and_then([](const Url& url) { return ImportLock::acquire(url); });
  return std::move(lock).transform([](ImportLock held) { return std::make_shared<ImportLock>(std::move(held)); });
}

std::optional<std::string> display_name(std::string_view location) {
  auto url = parse_url(location);
  return url ? std::optional(std::move(url->name)) : std::nullopt;
}

PoolCounts pool_counts(KeyValueStore& store) { return static_cast<Store&>(store).pool(); }

bool holds_import_lock(const HeldImportLock& lock) { return static_cast<ImportLock*>(lock.get())->is_held(); }

}  // namespace portail::postgres
