// Settings of a host that has wasi:config.
#pragma once

#include "edge/portal/environment_variable.hpp"

namespace portail::edge {

// What the host's configuration says of a name, of PORTAIL_ISSUER under portail_issuer, which is how Spin wants it.
// Where it has no such name, or an empty value, which is a manifest's way to say none: what the environment says.
FoundVariable config_variable(const char* name);

}  // namespace portail::edge
