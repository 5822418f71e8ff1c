// Detects requests of users at this machine, which may receive the tokens of personas. A pure function; any thread.
#pragma once

#include "core/http/request.hpp"

namespace portail {

// Whether the request was made on this machine, for a page of this server: Host is `localhost`, `127.0.0.1` or `[::1]`,
// no header was added by a proxy, and no header names another origin. The server must listen on a loopback address,
// because the peer's address alone proves nothing.
[[nodiscard]] bool is_local_request(const Request& request);

}  // namespace portail
