// What the settings of a server mean, once they are known to make sense together. Plain values.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "native/host/log.hpp"
#include "native/page/page.hpp"
#include "native/server/address_range.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/key_settings.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// "127.0.0.1:8443", "[::1]:8443"
struct ListenAddress {
  std::string address;  // without brackets
  int port = 0;
};

// Whether a server that listens there is reached at all addresses of the machine.
bool is_every_address(std::string_view address);

struct ServePlan {
  Settings settings;  // the core's
  KeyPlan keys;
  std::string address;
  int port = 0;
  bool tls = true;
  std::vector<AddressRange> trusted_proxies;
  LogLevel log_level = LogLevel::info;
  std::optional<ListenAddress> metrics;
  std::optional<SignIn> sign_in;  // of the page
  std::string spans_url;          // where spans are posted; empty: nowhere
};

// What an address in the settings means: a port alone is on 127.0.0.1, and an address alone has the port of the preset,
// where the setting has one. A fault is wrong usage.
std::expected<ListenAddress, Fault> read_address(const SettingValues& values, SettingName setting);

// Reads no file. A fault is wrong usage.
std::expected<ServePlan, Fault> make_plan(const SettingValues& values);

}  // namespace portail
