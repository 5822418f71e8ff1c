#include "core/settings_check.hpp"

namespace portail {
namespace {

std::unexpected<std::string> refuse(std::string_view name, std::string_view rule, std::string_view value) {
  return std::unexpected(std::string(name).append(rule).append(value));
}

bool is_origin(std::string_view origin) {
  constexpr std::string_view any_of_domain = "https://*.";
  const std::size_t host = origin.find("://");
  const bool names_host = host != std::string_view::npos && host > 0 && origin.size() > host + 3;
  const bool has_path = names_host && origin.find('/', host + 3) != std::string_view::npos;
  const std::size_t star = origin.find('*');
  const bool star_fits =
      star == std::string_view::npos || (origin.starts_with(any_of_domain) && origin.rfind('*') == star);
  return names_host && !has_path && star_fits;
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
    if (!is_origin(origin)) return refuse(name, " takes https://portal.example or https://*.example, not ", origin);
  }
  return {};
}

}  // namespace portail
