// Which requests may be given what is for people at this machine alone: the tokens of personas. A pure function; any
// thread.
#pragma once

#include "core/http/request.hpp"

namespace portail {

// Whether the request was made on this machine, for a page of this server: it names the host `localhost`, `127.0.0.1`
// or
// `[::1]`, no header shows that a proxy forwarded it, and no header shows that a page of another origin caused it. The
// host listens on a loopback address: a peer's address proves nothing more.
[[nodiscard]] bool is_local_request(const Request& request);

}  // namespace portail
