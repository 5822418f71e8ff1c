#include "core/settings_check.hpp"

#include "core/http/origin.hpp"

namespace portail {
namespace {

std::unexpected<std::string> refuse(std::string_view name, std::string_view rule, std::string_view value) {
  return std::unexpected(std::string(name).append(rule).append(value));
}

}  // namespace

std::expected<Transport, std::string> read_transport(std::string_view name, std::string_view text) {
  if (text == "direct") return Transport::direct;
  if (text == "forwarded") return Transport::forwarded;
  if (text == "loopback") return Transport::loopback;
  return refuse(name, " is direct, forwarded or loopback, not ", text);
}

SettingCheck check_leeway(std::string_view name, std::int64_t seconds) {
  if (seconds >= 0 && seconds <= 300) return {};
  return refuse(name, " is 0 to 300 seconds, not ", std::to_string(seconds));
}

SettingCheck check_subject_claim(std::string_view name, std::string_view claim) {
  if (!claim.empty()) return {};
  return refuse(name, " is the name of a claim, not empty", {});
}

SettingCheck check_origins(std::string_view name, std::span<const std::string> origins) {
  for (const std::string& origin : origins) {
    if (!is_origin_setting(origin)) return refuse(name, " takes https://portal.example or https://*.example, not ", origin);
  }
  return {};
}

}  // namespace portail
