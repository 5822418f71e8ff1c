// The operator's settings for the verification of tokens (docs/reference/contract.md, "Tokens"). A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portail {

struct TokenSettings {
  std::string issuer;
  std::vector<std::string> audiences;
  std::int64_t leeway_seconds = 60;   // 0 to 300
  std::string subject_claim = "sub";  // PORTAIL_SUBJECT_CLAIM
  std::string tenant;                 // PORTAIL_TENANT; empty: tokens of every tenant
};

}  // namespace portail
