// Creates certificates for development. Any thread.
#pragma once

#include <expected>
#include <string>

namespace portail {

// Both in PEM.
struct SelfSignedCertificate {
  std::string certificate;
  std::string key;
};

// Creates a P-256 key, and its certificate for localhost, 127.0.0.1 and ::1, which is valid for a year from now. The
// error is OpenSSL's reason.
std::expected<SelfSignedCertificate, std::string> make_self_signed_certificate();

}  // namespace portail
