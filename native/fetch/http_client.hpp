// The HTTP client of the program, cpp-httplib's. Callers include httplib.h, which is heavy. Any thread.
#pragma once

#include <memory>
#include <string>

#include "core/http/url.hpp"

namespace httplib {
class ClientImpl;
enum class Error;
}  // namespace httplib

namespace portail {

// PEM files of the client side of TLS.
struct ClientTls {
  std::string ca_file = {};      // authorities of servers; empty: the system's
  std::string certificate = {};  // of the client, with its chain; empty: none
  std::string key = {};          // of the certificate
};

// Returns a client for the origin of the URL. It verifies certificates, and follows no redirects. A file that cannot be
// used fails its requests.
std::unique_ptr<httplib::ClientImpl> make_http_client(const Url& url, const ClientTls& tls);

// Returns the reason of a failed request, for messages.
std::string describe(httplib::Error error);

}  // namespace portail
