#include "native/stores/postgres/postgres_scheme.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/postgres/postgres_table.hpp"
#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {
namespace {

// The first number, of "portail", distinguishes the portal's locks from those of other programs in this database; the
// second, of the table's OID, those of its tables.
std::string lock_statement(const std::string& table) {
  return "SELECT pg_try_advisory_lock(hashtext('portail'), hashtext(to_regclass('" + table + "')::oid::text))";
}

}  // namespace

std::expected<ImportLock, std::string> ImportLock::acquire(const Url& url) {
  const auto failed = [&url](const Fault& fault) {
    return std::unexpected(url.name + " cannot be locked for an import: " + fault.message);
  };
  auto connection = Connection::open(url);
  if (!connection) return failed(connection.error());
  const auto locked = connection->execute({.sql = lock_statement(url.table)}, engine::default_deadline());
  if (!locked) return failed(locked.error());
  if (PQntuples(locked->get()) != 1 || PQnfields(locked->get()) != 1) return failed(unexpected_result());
  if (std::string_view(PQgetvalue(locked->get(), 0, 0)) != "t") {
    return std::unexpected("another import is running on " + url.name + ": wait until it ends");
  }
  return ImportLock(std::move(*connection));
}

ImportLock::~ImportLock() {
  if (connection_.handle())
    std::ignore = connection_.execute({.sql = "SELECT pg_advisory_unlock_all()"}, engine::default_deadline());
}

bool ImportLock::is_held() { return connection_.execute({.sql = "SELECT 1"}, engine::default_deadline()).has_value(); }

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
