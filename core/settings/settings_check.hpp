// Checks and parses the texts of settings, and checks the names of variables, for every host that reads settings.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/transport.hpp"
#include "core/settings/guest_settings.hpp"

namespace portail {

// `where` is the setting as the operator wrote it, "--leeway" or "PORTAIL_LEEWAY". An error is one line that begins
// with `where`, states what is allowed, and repeats the text unless it may be a secret. Pure functions; any thread.

using SettingCheck = std::expected<void, std::string>;

// Returns what is allowed: "must be 0 to 300 seconds", "must be direct, forwarded, loopback or forwarded-or-loopback",
// "must be …".
std::string allowed_by(SettingRow setting);

// Returns the error for a text that is not allowed.
std::string refusal(SettingRow setting, std::string_view where, std::string_view text);

// Returns the values of a list, without the white space around them. Empty values are omitted.
std::vector<std::string> values_of_list(std::string_view text);

// Checks that `text` is allowed by the setting's row; for a list, `text` is one of its values. Kinds that only some
// hosts can check (addresses, files, key sets, stores) are not checked here.
SettingCheck check_value(SettingRow setting, std::string_view where, std::string_view text);
// The same for each of the values.
SettingCheck check_values(SettingRow setting, std::string_view where, std::span<const std::string> values);

// Each parses the value of a setting of its kind: a number or a duration, in the row's unit; a toggle; `transport`.
std::expected<std::int64_t, std::string> read_number(SettingRow setting, std::string_view where, std::string_view text);
std::expected<bool, std::string> read_toggle(SettingRow setting, std::string_view where, std::string_view text);
std::expected<Transport, std::string> read_transport(std::string_view where, std::string_view text);

// Judges the environment variables PORTAIL_… of a host: settings, those that an orchestrator adds, which are ignored,
// and unknown ones, which are refused (docs/reference/settings.md). One thread.
class VariableCheck {
 public:
  // `known` has the variables that the host reads, and must outlive this.
  explicit VariableCheck(std::span<const std::string_view> known) : known_(known) {}

  // Judges one variable. The error is one line for the operator, such as "unknown setting PORTAIL_AUDIANCE; did you
  // mean PORTAIL_AUDIENCE?"; it never has the value.
  std::expected<void, std::string> check(std::string_view name, std::string_view value);
  // Judges those of the null-terminated `environment` whose names begin with PORTAIL_.
  std::expected<void, std::string> check_environment(const char* const* environment);

  // Returns the names of the ignored variables so far, apart by ", ".
  [[nodiscard]] const std::string& ignored() const { return ignored_; }

 private:
  std::span<const std::string_view> known_;
  std::string ignored_;
};

}  // namespace portail
