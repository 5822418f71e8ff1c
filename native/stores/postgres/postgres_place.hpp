// Where the servers of an address are, each by itself: libpq says nothing of the time that it has given to which of a
// name's addresses, so that those which stay silent can only be left out one by one. Any thread.
#pragma once

#include <string>
#include <vector>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail {

struct PostgresPlace {
  std::string host;     // as the address has it: a name, an address, or the folder of a socket
  std::string address;  // of a name with several; else empty, and libpq looks the name up
  std::string port;     // may be empty: the usual one

  friend bool operator==(const PostgresPlace&, const PostgresPlace&) = default;
};

// In the order in which they are tried. Waits for the look-up of names by the system.
std::vector<PostgresPlace> places_of(const PostgresUrl& url);

// As libpq takes it: "a,a,b" of their hosts, addresses or ports.
std::string joined(const std::vector<PostgresPlace>& places, std::string PostgresPlace::* part);

}  // namespace portail
