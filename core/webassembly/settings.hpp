// The settings of a portal in a WebAssembly host, from the host's variables: the rows of
// core/settings/guest_settings.hpp that components have, with the same meaning as for the native program
// (docs/reference/settings.md).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/api/settings.hpp"
#include "core/auth/key_set.hpp"
#include "core/webassembly/fetched_keys.hpp"

namespace portail {

struct PortalSettings {
  Settings settings;                 // the core's
  std::optional<LoadedKeySet> keys;  // those of the setting
  std::optional<FetchPlan> fetch;    // the key set is fetched; nullopt, without keys: it is the stored config.jwks
  std::string log_key;               // of the pseudonyms in the log; empty: a random one
  std::string store;                 // interpreted by the store of the build; may be empty
};

// The value of a variable; nullopt if it does not exist. If it cannot be read, the error is one line for the operator.
using VariableResult = std::expected<std::optional<std::string>, std::string>;

// The variables of a host.
class Variables {
 public:
  virtual ~Variables() = default;
  virtual VariableResult find(const char* name) = 0;
  // Returns the name under which the operator sets the variable, for messages.
  [[nodiscard]] virtual std::string shown(std::string_view name) const { return std::string(name); }
};

// Reads and validates the settings. The error is one line for the operator, and states what to do.
std::expected<PortalSettings, std::string> read_settings(Variables& variables);

}  // namespace portail
