// What the host answers by itself, where there is no request that the core could be asked about. Any thread.
#pragma once

#include "core/files/descriptor.hpp"
#include "core/http/response.hpp"
#include "native/http/request_head.hpp"
#include "native/server/connection.hpp"

namespace portail {

// A request that cannot be understood. `request` is what was understood of it: the language that it prefers.
Response framing_answer(const Host& host, FramingError error, const Request& request);

// HTTP in clear where TLS was expected.
Response https_expected_answer(const Host& host);

// Ends a connection that is one too many. In clear, where a proxy may pass it on, a 503 with Retry-After goes first;
// under TLS nothing does: a handshake is what the limit spares. Waits for nothing, so a client that is still sending
// may lose the answer.
void turn_away(Descriptor socket, const Host& host, bool tls);

}  // namespace portail
