// What the settings of the page mean. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/page/page.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// How the page signs people in; reads no file. A fault is wrong usage.
std::expected<std::optional<SignIn>, Fault> make_sign_in(const SettingValues& values);

// The file of personas: a JSON array of objects with name, description and token, all strings; empty where no setting
// names one. The caller has seen to it that only this machine can ask for them.
std::expected<std::string, Fault> read_personas(const SettingValues& values);

}  // namespace portail
