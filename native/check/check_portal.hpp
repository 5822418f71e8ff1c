// `portail check URL`: asks a running portal as a client does: address, TLS, clock, readiness, transport, token. One
// thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/http/url.hpp"
#include "native/check/check_report.hpp"

namespace portail {

struct RunningPortal {
  Url url;
  std::string ca_file;                   // PEM; empty: the system's authorities
  std::optional<std::string> token;      // a compact JWS
  std::vector<std::string> permissions;  // that the token must have
};

// Ends with the first fault that prevents the later checks.
void check_portal(const RunningPortal& portal, CheckReport& report);

}  // namespace portail
