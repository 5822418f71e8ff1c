// The settings of the core, as plain values. The host fills them from its own sources (docs/reference/settings.md).
#pragma once

#include <string>
#include <vector>

#include "core/auth/token_settings.hpp"
#include "core/http/transport.hpp"

namespace portail {

struct Settings {
  TokenSettings tokens;
  Transport transport = Transport::direct;
  std::vector<std::string> allowed_origins;  // exact origins, or https://*.domain
  bool filter_lists = false;                 // PORTAIL_FILTER_LISTS: omit derogated pieces from lists too
};

}  // namespace portail
