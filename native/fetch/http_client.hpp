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

// Returns a client for the origin of the URL. It verifies certificates, by the authorities of `ca_file` (PEM; empty:
// the system's), and follows no redirects.
std::unique_ptr<httplib::ClientImpl> make_http_client(const Url& url, const std::string& ca_file);

// Returns the reason of a failed request, for messages.
std::string describe(httplib::Error error);

}  // namespace portail
