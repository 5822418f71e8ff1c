// Whether what an operator wrote makes sense, for every host that reads settings. `name` is what the operator knows the
// setting by, "--leeway" or "PORTAIL_LEEWAY"; an error is one line that begins with it. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "core/http/transport.hpp"

namespace portail {

using SettingCheck = std::expected<void, std::string>;

// direct, forwarded or loopback.
std::expected<Transport, std::string> read_transport(std::string_view name, std::string_view text);
// 0 to 300.
SettingCheck check_leeway(std::string_view name, std::int64_t seconds);
SettingCheck check_subject_claim(std::string_view name, std::string_view claim);
// Each is an origin that a browser can send, or https://*.example for all of a domain (core/http/origin.hpp).
SettingCheck check_origins(std::string_view name, std::span<const std::string> origins);

}  // namespace portail
