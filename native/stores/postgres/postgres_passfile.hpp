// The files that libpq reads in the home directory, which HOME names: the password file and those of TLS. Any thread.
#pragma once

#include <string>
#include <vector>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {

// Returns the keywords of the default files that libpq must not read, because HOME is the home of another user, or the
// file is one of another user that this process cannot read. A file that a setting names is not among them.
std::vector<const char*> foreign_files(const Url& url);

// Returns why libpq would ignore the password file, in one line that names it: libpq reports that to standard error
// only. Empty if libpq reads the file, if another setting gives the password, or if no setting names the file and it
// does not exist or is foreign.
std::string passfile_fault(const Url& url);

}  // namespace portail::postgres
