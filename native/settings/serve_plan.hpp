// The interpreted settings of a server, after the checks of their combinations. Plain values.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "core/api/settings.hpp"
#include "native/page/page.hpp"
#include "native/server/address_range.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/key_settings.hpp"
#include "native/settings/setting_values.hpp"
#include "native/system/log.hpp"

namespace portail {

// "127.0.0.1:8443", "[::1]:8443"
struct ListenAddress {
  std::string address;  // without brackets
  int port = 0;
};

// Whether this is the unspecified address: a server there listens on all addresses of the machine.
bool is_wildcard_address(std::string_view address);

struct ServePlan {
  Settings settings;  // the core's
  KeyPlan keys;
  std::string address;
  int port = 0;
  bool tls = true;
  std::vector<server::AddressRange> trusted_proxies;
  LogLevel log_level = LogLevel::info;
  std::optional<ListenAddress> metrics;
  std::optional<ListenAddress> management;
  PageSettings page;      // its personas are read later
  std::string spans_url;  // URL for spans; empty if none are sent
};

// Parses an address. A port alone means 127.0.0.1; an address alone has the port of the setting's default, if there is
// one. A fault is wrong usage.
std::expected<ListenAddress, Fault> read_address(const SettingValues& values, SettingName setting);

// Interprets and checks the settings. Reads no file. A fault is wrong usage.
std::expected<ServePlan, Fault> make_serve_plan(const SettingValues& values);

}  // namespace portail
