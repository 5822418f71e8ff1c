// The settings of the management interface, as plain values (docs/reference/management.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/auth/token_settings.hpp"
#include "core/http/transport.hpp"

namespace portail {

struct ManagementSettings {
  TokenSettings tokens;
  Transport transport = Transport::direct;
  std::vector<std::string> administrators;                            // subjects that need no permission in their token
  std::uint64_t max_document_size = std::uint64_t{64} * 1024 * 1024;  // bytes of an import's document
  std::int64_t audit_retention = 365;                                 // days; after it an import removes records
  std::string version;                                                // of the program, for /manage/status
};

}  // namespace portail
