// The password file that libpq reads: `passfile` of the URL, PGPASSFILE, or ~/.pgpass. libpq reports to standard error
// only, not to its caller, that it ignores an unsuitable file. Any thread.
#pragma once

#include <string>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {

// Returns why libpq would ignore the password file, in one line that names it. Empty if libpq reads the file, if no
// file exists and no setting names one, or if another setting gives the password.
std::string passfile_fault(const Url& url);

}  // namespace portail::postgres
