// Whether a request came over HTTPS (docs/reference/contract.md, "Transport"): the one who ends TLS says so. Any
// thread.
#pragma once

#include <cstdint>

#include "core/http/request.hpp"

namespace portail {

enum class Transport : std::uint8_t {
  direct,     // the host itself ends TLS
  forwarded,  // a proxy or an edge host does, and says so in X-Forwarded-Proto or Forwarded (RFC 7239), or as the
              // scheme
  loopback,   // no TLS: the host listens where only this machine can reach it
};

// False: 403, whatever else the request is. Forwarding headers count only where the host trusts who sent them; then one
// that names another scheme, is repeated or is a list refuses the request even where the scheme is https.
bool is_transport_secure(const Request& request, Transport transport);

}  // namespace portail
