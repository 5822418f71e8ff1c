// Interprets the settings of the page. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/page/page.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// The settings of the page without its personas. Reads no file. A fault is wrong usage.
std::expected<PageSettings, Fault> make_page_settings(const SettingValues& values);

// Reads the file of personas, a JSON array of objects with the texts name, description and token, and optional
// translations of the first two; empty if no setting names it. The caller ensures that only local clients can request
// them.
std::expected<std::string, Fault> read_personas(const SettingValues& values);

}  // namespace portail
