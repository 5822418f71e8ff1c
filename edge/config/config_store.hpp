// The host's configuration, by the version of wasi:config that the component is linked with: config_rc.cpp (wasmtime
// and wasmCloud) or config_draft.cpp (Spin). No host has both.
#pragma once

#include <string_view>

#include "edge/portal/environment_variable.hpp"

namespace portail::edge {

// The error is the host's own.
FoundVariable read_config(std::string_view name);

}  // namespace portail::edge
