#include "native/stores/postgres/postgres_import_lock.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

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

}  // namespace portail::postgres
