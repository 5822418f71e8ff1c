// Whether a server's certificate is valid now, and for how long yet. Pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "native/http/tls.hpp"

namespace portail {

// The error is one line for the operator: since when it has expired, or when its time begins.
std::expected<void, std::string> check_validity(const TlsFile& certificate, Validity validity, Instant now);

// The day in UTC: 2026-12-01.
std::string day_text(Instant instant);

// The day on which it expires, where that is within 30 days of `now`.
std::optional<std::string> soon_expiry(Validity validity, Instant now);

}  // namespace portail
