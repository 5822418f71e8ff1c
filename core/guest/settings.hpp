// The settings of a portal that is somebody's guest, from the host's variables: the names and the meaning are those of
// the native program's (docs/operators.md, "Settings").
#pragma once

#include <array>
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

// Every variable that read_settings asks for.
inline constexpr std::array<std::string_view, 10> setting_names{
    "PORTAIL_ISSUER",       "PORTAIL_AUDIENCE",      "PORTAIL_TENANT", "PORTAIL_SUBJECT_CLAIM", "PORTAIL_LEEWAY",
    "PORTAIL_FILTER_LISTS", "PORTAIL_ALLOW_ORIGINS", "PORTAIL_JWKS",   "PORTAIL_TRANSPORT",     "PORTAIL_STORE"};

// The error is one line for the operator that says what to do.
std::expected<PortalSettings, std::string> read_settings(Variables& variables);

}  // namespace portail
