// What the text of a setting means, and whether it makes sense, for every host that reads settings. `where` is what the
// operator knows the setting by, "--leeway" or "PORTAIL_LEEWAY"; an error is one line that begins with it, says what is
// allowed, and repeats the text unless it may be a secret. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/transport.hpp"
#include "core/settings_table.hpp"

namespace portail {

using SettingCheck = std::expected<void, std::string>;

// "must be 0 to 300 seconds", "must be direct, forwarded or loopback", "must be …".
std::string allowed_by(SettingName setting);

// The line for a text that is none of what is allowed.
std::string refusal(SettingName setting, std::string_view where, std::string_view text);

// The values of a list, without the white space around them; empty ones are left out.
std::vector<std::string> values_of_list(std::string_view text);

// Whether `text` is what the row allows, or, for a list, one value of it. What only some hosts can judge (addresses,
// files, key sets, stores) is left to them.
SettingCheck check_value(SettingName setting, std::string_view where, std::string_view text);

// Of the kinds number and duration (in the row's unit); of toggle; and of `transport`.
std::expected<std::int64_t, std::string> read_number(SettingName setting, std::string_view where,
                                                     std::string_view text);
std::expected<bool, std::string> read_toggle(SettingName setting, std::string_view where, std::string_view text);
std::expected<Transport, std::string> read_transport(std::string_view where, std::string_view text);

}  // namespace portail
