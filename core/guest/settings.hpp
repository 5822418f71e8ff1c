// The settings of a portal that runs as a guest, from the host's variables: those of the rows of
// core/settings_table.hpp that components have, with the meaning that they have for the native program
// (docs/reference/settings.md).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/auth/key_set.hpp"
#include "core/settings.hpp"

namespace portail {

struct PortalSettings {
  Settings settings;                 // the core's
  std::optional<LoadedKeySet> keys;  // nothing: they are the stored config.jwks
  std::string store;                 // what the store of this build makes of it; may be empty
};

// Nothing where there is no variable of that name; the error is one line for the operator: a variable that cannot be
// read is not taken for one that is not there.
using FoundVariable = std::expected<std::optional<std::string>, std::string>;

// Where a host keeps its variables.
class Variables {
 public:
  virtual ~Variables() = default;
  virtual FoundVariable find(const char* name) = 0;
};

// The error is one line for the operator that says what to do.
std::expected<PortalSettings, std::string> read_settings(Variables& variables);

}  // namespace portail
