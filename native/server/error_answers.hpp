// Answers of the host itself, to input that never reaches the core. Any thread.
#pragma once

#include "core/http/response.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "native/http/request_head.hpp"
#include "native/server/connection.hpp"

namespace portail::server {

// The answer to a malformed request. `request` has the fields that could be parsed, for the language.
Response framing_error_answer(const Host& host, FramingError error, const Request& request);

// The answer to HTTP without TLS on a TLS port.
Response https_required_answer(const Host& host);

// Closes a connection that exceeds a limit. Without TLS a 503 with Retry-After is sent first, which a proxy may pass
// on. With TLS nothing is sent: the limit saves the cost of handshakes. Does not block; a client that is still sending
// may lose the answer.
void reject_connection(Descriptor socket, const Host& host, bool tls);

}  // namespace portail::server
