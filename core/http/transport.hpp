// Checks that a request was sent over HTTPS (docs/reference/contract.md, "Transport"). Any thread.
#pragma once

#include <cstdint>

#include "core/http/reason.hpp"
#include "core/http/request.hpp"

namespace portail {

enum class Transport : std::uint8_t {
  direct,     // the host terminates TLS
  forwarded,  // a proxy or an edge host terminates TLS, and reports it in X-Forwarded-Proto or Forwarded (RFC 7239), or
              // as the scheme
  loopback,   // without TLS: only this machine can reach the host
  forwarded_or_loopback,  // as forwarded; also without TLS if the request addresses a loopback host, and no proxy
                          // reports itself
};

// Returns false if the answer must be 403. Forwarding headers count only from a trusted peer. Then a header that names
// another scheme, is repeated or is a list refuses the request, even if the scheme is https.
bool is_transport_secure(const Request& request, Transport transport);
// Returns the reason of that refusal, for the log.
Reason insecure_transport_reason(Transport transport);

}  // namespace portail
