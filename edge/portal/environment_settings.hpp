// The settings of a component, from the host's variables: the names and the meaning are those of the native program's
// (contract, "The native program").
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/settings.hpp"

namespace portail::edge {

struct PortalSettings {
  Settings settings;  // the core's
  std::string jwks;   // the key set's own text; empty: it is the stored config.jwks
  std::string store;  // what the store of this build makes of it; may be empty
};

// Where a host keeps its variables. Nothing where there is none of that name; the error is one line for the operator: a
// variable that cannot be read is not taken for one that is not there.
using FoundVariable = std::expected<std::optional<std::string>, std::string>;
using Variable = FoundVariable (*)(const char* name);

// The error is one line for the operator that says what to do.
std::expected<PortalSettings, std::string> read_settings(Variable variable);

// Those of WASI's environment.
FoundVariable environment_variable(const char* name);

}  // namespace portail::edge
