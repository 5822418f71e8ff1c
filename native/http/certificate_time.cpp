#include "native/http/certificate_time.hpp"

#include "core/base/utc_text.hpp"

namespace portail {
namespace {

constexpr std::int64_t expiry_warning_period = std::int64_t{30} * 86'400 * 1'000'000;
constexpr std::size_t day_size = 10;  // 2026-12-01

}  // namespace

std::expected<void, std::string> check_validity(const TlsFile& certificate, Validity validity, Instant now) {
  if (now.seconds() > validity.end.seconds()) {
    return std::unexpected("the TLS certificate " + certificate.name + " expired at " +
                           utc_text_to_the_second(validity.end) + "; give " + certificate.setting + " a new one");
  }
  if (now.seconds() < validity.begin.seconds()) {
    return std::unexpected("the TLS certificate " + certificate.name + " is not valid before " +
                           utc_text_to_the_second(validity.begin) + ", and it is " + utc_text_to_the_second(now) +
                           "; check this machine's clock, or give " + certificate.setting + " another one");
  }
  return {};
}

std::string day_text(Instant instant) { return utc_text(instant).substr(0, day_size); }

std::optional<std::string> expiry_if_soon(Validity validity, Instant now) {
  if (validity.end.microseconds - now.microseconds > expiry_warning_period) return std::nullopt;
  return day_text(validity.end);
}

}  // namespace portail
