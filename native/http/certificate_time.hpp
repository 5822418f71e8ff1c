// Validity period of a server's certificate. Pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "native/http/tls.hpp"

namespace portail {

// Fails if the certificate has expired or is not valid yet; the error is one line for the operator, with the date.
std::expected<void, std::string> check_validity(const TlsFile& certificate, Validity validity, Instant now);

// Returns the date in UTC: 2026-12-01.
std::string day_text(Instant instant);

// Returns the date of expiry if it is within 30 days of `now`.
std::optional<std::string> expiry_if_soon(Validity validity, Instant now);

}  // namespace portail
