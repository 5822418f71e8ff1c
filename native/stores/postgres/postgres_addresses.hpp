// The network addresses of the servers that a URL names. libpq does not report how long it has tried each address of a
// name, so addresses that time out are excluded one by one. Any thread.
#pragma once

#include <string>
#include <vector>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {

struct ServerAddress {
  std::string host;     // as in the URL: a name, an address, or the directory of a socket
  std::string address;  // numeric, if the name has several addresses; otherwise empty, and libpq resolves the name
  std::string port;     // empty: libpq's default

  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

// Returns the addresses in the order in which they are tried. Blocks while the system resolves names.
std::vector<ServerAddress> server_addresses(const Url& url);

// Joins their hosts, addresses or ports as libpq expects them: "a,a,b".
std::string join(const std::vector<ServerAddress>& addresses, std::string ServerAddress::* part);

}  // namespace portail::postgres
