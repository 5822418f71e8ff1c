// The validity period of a certificate, of which both ends are included (RFC 5280, 4.1.2.5).
#include <gtest/gtest.h>

#include "native/http/certificate.hpp"

namespace portail {
namespace {

constexpr std::int64_t second = 1'000'000;
// 2026-11-01T00:00:00Z to 2026-12-01T07:10:00Z
constexpr Validity validity{.begin = {1'793'491'200 * second}, .end = {1'796'109'000 * second}};

std::string validity_message(Instant now) {
  const auto checked = check_validity({.name = "a.pem", .setting = "PORTAIL_TLS_CERT"}, validity, now);
  return checked ? "valid" : checked.error();
}

TEST(CertificateTime, LastsFromItsFirstSecondToItsLast) {
  EXPECT_EQ(validity_message(validity.begin), "valid");
  EXPECT_EQ(validity_message({validity.end.microseconds + second - 1}), "valid");
  EXPECT_EQ(validity_message({validity.end.microseconds + second}),
            "the TLS certificate a.pem expired at 2026-12-01T07:10:00Z; give PORTAIL_TLS_CERT a new one");
  EXPECT_EQ(validity_message({validity.begin.microseconds - 1}),
            "the TLS certificate a.pem is not valid before 2026-11-01T00:00:00Z, and it is 2026-10-31T23:59:59Z; check "
            "this machine's clock, or give PORTAIL_TLS_CERT another one");
}

TEST(CertificateTime, ExpiresSoonWithinThirtyDays) {
  const std::int64_t days_30 = 2'592'000 * second;
  EXPECT_EQ(expiry_if_soon(validity, {validity.end.microseconds - days_30 - 1}), std::nullopt);
  EXPECT_EQ(expiry_if_soon(validity, {validity.end.microseconds - days_30}), "2026-12-01");
  EXPECT_EQ(expiry_if_soon(validity, validity.end), "2026-12-01");
}

}  // namespace
}  // namespace portail
