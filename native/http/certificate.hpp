// The certificate of a server: its period of validity, and one that it signs itself.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "native/http/tls.hpp"

namespace portail {

// Validity period of a server's certificate. Pure functions.

// Fails if the certificate has expired or is not valid yet; the error is one line for the operator, with the date.
std::expected<void, std::string> check_validity(const TlsFile& certificate, Validity validity, Instant now);

// Returns the date in UTC: 2026-12-01.
std::string day_text(Instant instant);

// Returns the date of expiry if it is within 30 days of `now`.
std::optional<std::string> expiry_if_soon(Validity validity, Instant now);

// Creates certificates for development. Any thread.

// Both in PEM.
struct SelfSignedCertificate {
  std::string certificate;
  std::string key;
};

// Creates a P-256 key, and its certificate for localhost, 127.0.0.1 and ::1, which is valid for a year from now. The
// error is OpenSSL's reason.
std::expected<SelfSignedCertificate, std::string> make_self_signed_certificate();

}  // namespace portail
