// The files that libpq reads in the home directory, which HOME names: the password file and those of TLS. Any thread.
#pragma once

#include <string>
#include <vector>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {

// Returns the keywords of the default files that libpq must not read: the password file and the certificate if HOME is
// the home of another user, and each file of another user that this process cannot read. A file that a setting names is
// not among them, nor is the certificate of a key that a setting names.
std::vector<const char*> foreign_files(const Url& url);

// Returns the message for a connection that needs the root certificates that foreign_files() excludes, in one line.
std::string ignored_root_fault();

// Returns why libpq would ignore the password file, in one line that names it: libpq reports that to standard error
// only. Empty if libpq reads the file, if another setting gives the password, or if no setting names the file and it
// does not exist or is foreign.
std::string passfile_fault(const Url& url);

}  // namespace portail::postgres
