// The file that libpq takes passwords from: `passfile` of the address, PGPASSFILE, or ~/.pgpass. libpq itself says to
// standard error, and not to us, that it leaves one unread. Any thread.
#pragma once

#include <string>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

// Why libpq would leave it unread, one line that names it; empty where it reads it, where there is none and no setting
// names one, and where it needs none, since there is a password already.
std::string fault_of_passfile(const PostgresUrl& url);

}  // namespace portail
