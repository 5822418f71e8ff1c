#include "native/stores/postgres/postgres_import_lock.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace portail {
namespace {

// The first number, "portail", tells the portal's locks from those of others in this database, the second its tables:
// by what the server calls the table.
std::string lock_statement(const std::string& table) {
  return "SELECT pg_try_advisory_lock(hashtext('portail'), hashtext(to_regclass('" + table + "')::oid::text))";
}

}  // namespace

std::expected<PostgresImportLock, std::string> PostgresImportLock::acquire(const PostgresUrl& url) {
  const auto failed = [&url](const PostgresFault& fault) {
    return std::unexpected(url.name + " cannot be locked for an import: " + fault.text);
  };
  auto connection = PostgresConnection::open(url);
  if (!connection) return failed(connection.error());
  const auto taken = connection->ask({.sql = lock_statement(url.table)}, usual_deadline());
  if (!taken) return failed(taken.error());
  if (PQntuples(taken->get()) != 1 || PQnfields(taken->get()) != 1) return failed(unexpected_answer());
  if (std::string_view(PQgetvalue(taken->get(), 0, 0)) != "t") {
    return std::unexpected("another import is running on " + url.name + ": wait until it ends");
  }
  return PostgresImportLock(std::move(*connection));
}

PostgresImportLock::~PostgresImportLock() {
  if (connection_.handle()) std::ignore = connection_.ask({.sql = "SELECT pg_advisory_unlock_all()"}, usual_deadline());
}

bool PostgresImportLock::is_held() { return connection_.ask({.sql = "SELECT 1"}, usual_deadline()).has_value(); }

}  // namespace portail
