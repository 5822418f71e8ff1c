#include "core/settings/settings_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/http/cors.hpp"

namespace portail {
namespace {

// Returns the choices of the row: "debug, info, warning or error".
std::string joined(const Setting& setting) {
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(setting.choices, [](std::string_view choice) { return !choice.empty(); }));
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 == count ? " or " : ", ";
    text += setting.choices[i];
  }
  return text;
}

std::string range(const Setting& setting) {
  if (setting.max == no_max) return "at least " + std::to_string(setting.min);
  std::string text = std::to_string(setting.min) + " to " + std::to_string(setting.max);
  if (!setting.unit.empty()) text.append(" ").append(setting.unit);
  return text;
}

struct TimeUnit {
  std::string_view letters;
  std::int64_t milliseconds;
};
constexpr std::array time_units{TimeUnit{"ms", 1}, TimeUnit{"s", 1'000}, TimeUnit{"min", 60'000},
                                TimeUnit{"h", 3'600'000}, TimeUnit{"d", 86'400'000}};

// Returns the duration in the setting's own unit; nullopt if that is not a whole number, or exceeds the maximum.
std::optional<std::int64_t> converted(const Setting& setting, std::int64_t count, const TimeUnit& unit) {
  const std::int64_t own = setting.unit == "milliseconds" ? 1 : setting.unit == "days" ? 86'400'000 : 1'000;
  if (count < 0 || count > setting.max * own / unit.milliseconds || count * unit.milliseconds % own != 0) {
    return std::nullopt;
  }
  return count * unit.milliseconds / own;
}

std::optional<std::int64_t> number_in(const Setting& setting, std::string_view text) {
  std::optional<std::int64_t> number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, *number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view letters(parsed, end);
  if (setting.kind == SettingKind::duration && !letters.empty()) {
    const auto unit = std::ranges::find(time_units, letters, &TimeUnit::letters);
    if (unit == time_units.end()) return std::nullopt;
    number = converted(setting, *number, *unit);
  } else if (!letters.empty()) {
    return std::nullopt;
  }
  if (!number || *number < setting.min || *number > setting.max) return std::nullopt;
  return number;
}

std::optional<bool> toggle_of(std::string_view text) {
  for (const std::string_view word : {"1", "true", "on", "yes", "enable"}) {
    if (equals_ignoring_case(text, word)) return true;
  }
  for (const std::string_view word : {"", "0", "false", "off", "no", "disable"}) {
    if (equals_ignoring_case(text, word)) return false;
  }
  return std::nullopt;
}

struct NamedCharacters {
  std::uint32_t first;
  std::uint32_t last;
  std::string_view name;
};
// They are not seen in a text.
constexpr std::array invisible_characters{
    NamedCharacters{0x0a, 0x0a, "a line feed"},
    NamedCharacters{0x0d, 0x0d, "a carriage return"},
    NamedCharacters{0x00, 0x1f, "a control character"},
    NamedCharacters{0x7f, 0x9f, "a control character"},
    NamedCharacters{0xad, 0xad, "a soft hyphen"},
    NamedCharacters{0x61c, 0x61c, "an invisible character"},
    NamedCharacters{0x200b, 0x200b, "a zero-width space"},
    NamedCharacters{0x200c, 0x200f, "an invisible character"},
    NamedCharacters{0x2028, 0x202e, "an invisible character"},
    NamedCharacters{0x2060, 0x206f, "an invisible character"},
    NamedCharacters{0xfeff, 0xfeff, "a byte order mark"},
};
// What files of variables and copied texts leave around a value.
constexpr std::array surrounding_characters{
    NamedCharacters{0x22, 0x22, "a quotation mark"},     NamedCharacters{0x27, 0x27, "an apostrophe"},
    NamedCharacters{0x60, 0x60, "a grave accent"},       NamedCharacters{0xab, 0xab, "a quotation mark"},
    NamedCharacters{0xbb, 0xbb, "a quotation mark"},     NamedCharacters{0x2018, 0x201f, "a quotation mark"},
    NamedCharacters{0x2039, 0x203a, "a quotation mark"}, NamedCharacters{0x20, 0x20, "a space"},
    NamedCharacters{0xa0, 0xa0, "a no-break space"},     NamedCharacters{0x1680, 0x1680, "a space"},
    NamedCharacters{0x2000, 0x200a, "a space"},          NamedCharacters{0x202f, 0x202f, "a no-break space"},
    NamedCharacters{0x205f, 0x205f, "a space"},          NamedCharacters{0x3000, 0x3000, "a space"},
};

// Returns name and code of the character, at most U+FFFF; an empty text if it is not in the table.
std::string name_in(std::span<const NamedCharacters> table, std::uint32_t code) {
  const auto found = std::ranges::find_if(
      table, [code](const NamedCharacters& each) { return each.first <= code && code <= each.last; });
  if (found == table.end()) return {};
  std::string text = std::string(found->name) + " (U+";
  append_capital_hex(text, static_cast<std::byte>(code >> 8U));
  append_capital_hex(text, static_cast<std::byte>(code & 0xffU));
  return text += ')';
}

// Returns "must not …" if the text has an invisible character, or such a character surrounds it; else an empty text.
std::string misplaced_character(std::string_view text) {
  bool is_first = true;
  for (std::string_view rest = text; !rest.empty(); is_first = false) {
    const Character next = first_character(rest);
    rest.remove_prefix(std::max<std::size_t>(next.size, 1));
    if (next.size == 0) continue;  // not UTF-8
    if (const std::string name = name_in(invisible_characters, next.code); !name.empty())
      return "must not contain " + name;
    const std::string name = is_first || rest.empty() ? name_in(surrounding_characters, next.code) : std::string();
    if (!name.empty()) return (is_first ? "must not begin with " : "must not end with ") + name;
  }
  return {};
}

bool is_allowed(const Setting& setting, std::string_view text) {
  switch (setting.kind) {
    case SettingKind::identifier:
      return misplaced_character(text).empty();
    case SettingKind::name:
      return !text.empty() && misplaced_character(text).empty();
    case SettingKind::number:
    case SettingKind::duration:
      return number_in(setting, text).has_value();
    case SettingKind::toggle:
      return toggle_of(text).has_value();
    case SettingKind::choice:
      return !text.empty() && std::ranges::contains(setting.choices, text);
    case SettingKind::origin:
      return is_origin_setting(text);
    case SettingKind::text:
    case SettingKind::address:
    case SettingKind::address_range:
    case SettingKind::file:
    case SettingKind::key_set:
    case SettingKind::store:
      return true;
  }
  return false;
}

constexpr std::string_view variable_prefix = "PORTAIL_";

bool is_address(std::string_view value) {
  return value.starts_with("tcp://") || value.starts_with("udp://") || value.starts_with("sctp://");
}

// PORTAIL_PORT_8443_TCP, and the same with _PROTO, _PORT or _ADDR.
bool has_numbered_port(std::string_view name) {
  constexpr std::string_view port = "_PORT_";
  const std::size_t found = name.rfind(port);
  if (found == std::string_view::npos || found + port.size() == name.size()) return false;
  return is_ascii_digit(name[found + port.size()]);
}

// Kubernetes adds links for each service, of which one named portail or portail-api has the prefix of the settings.
// Docker's links of containers have the same names, and …_NAME and …_ENV_….
bool is_link(std::string_view name, std::string_view value) {
  return name.ends_with("_SERVICE_HOST") || name.ends_with("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") ||
         has_numbered_port(name) || (name.ends_with("_PORT") && is_address(value)) ||
         (name.ends_with("_NAME") && value.starts_with('/')) || name.contains("_ENV_");
}

// Without the prefix, which all names share and which would allow more typos.
std::string_view own_part(std::string_view name) { return name.substr(std::min(variable_prefix.size(), name.size())); }

// Returns "; did you mean PORTAIL_STORE?", or an empty text.
std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  NearestName nearest(own_part(name));
  for (const std::string_view each : known) nearest.add(own_part(each));
  if (nearest.found().empty()) return {};
  return std::string("; did you mean ").append(variable_prefix).append(nearest.found()).append("?");
}

}  // namespace

std::string allowed_by(SettingRow setting) {
  switch (setting->kind) {
    case SettingKind::number:
    case SettingKind::duration:
      return "must be " + range(*setting);
    case SettingKind::toggle:
      return "must be true or false";
    case SettingKind::choice:
      return "must be " + joined(*setting);
    default:
      return std::string(setting->allowed);
  }
}

std::string refusal(SettingRow setting, std::string_view where, std::string_view text) {
  if (setting->kind == SettingKind::identifier || setting->kind == SettingKind::name) {
    if (const std::string fault = misplaced_character(text); !fault.empty()) return std::string(where) + " " + fault;
  }
  std::string line = std::string(where) + " " + allowed_by(setting);
  if (!setting->may_be_secret) line += ", not " + (text.empty() ? "empty" : printable(text));
  return line;
}

std::vector<std::string> values_of_list(std::string_view text) {
  std::vector<std::string> values;
  while (!text.empty()) {
    if (const auto value = trimmed(take_until(text, ',')); !value.empty()) values.emplace_back(value);
  }
  return values;
}

SettingCheck check_value(SettingRow setting, std::string_view where, std::string_view text) {
  if (is_allowed(*setting, text)) return {};
  return std::unexpected(refusal(setting, where, text));
}

SettingCheck check_values(SettingRow setting, std::string_view where, std::span<const std::string> values) {
  for (const std::string& value : values) {
    if (auto checked = check_value(setting, where, value); !checked) return checked;
  }
  return {};
}

std::expected<std::int64_t, std::string> read_number(SettingRow setting, std::string_view where,
                                                     std::string_view text) {
  if (const auto number = number_in(*setting, text)) return *number;
  return std::unexpected(refusal(setting, where, text));
}

std::expected<bool, std::string> read_toggle(SettingRow setting, std::string_view where, std::string_view text) {
  if (const auto is_on = toggle_of(text)) return *is_on;
  return std::unexpected(refusal(setting, where, text));
}

std::expected<Transport, std::string> read_transport(std::string_view where, std::string_view text) {
  if (text == "direct") return Transport::direct;
  if (text == "forwarded") return Transport::forwarded;
  if (text == "loopback") return Transport::loopback;
  if (text == "forwarded-or-loopback") return Transport::forwarded_or_loopback;
  return std::unexpected(refusal(guest_setting("transport"), where, text));
}

std::expected<void, std::string> VariableCheck::check(std::string_view name, std::string_view value) {
  if (std::ranges::contains(known_, name)) return {};
  if (!is_link(name, value)) {
    return std::unexpected("unknown setting " + std::string(name) + suggestion(name, known_));
  }
  ignored_.append(ignored_.empty() ? "" : ", ").append(name);
  return {};
}

std::expected<void, std::string> VariableCheck::check_environment(const char* const* environment) {
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with(variable_prefix)) continue;
    const std::string_view name = entry.substr(0, entry.find('='));
    const std::string_view value = entry.substr(std::min(name.size() + 1, entry.size()));
    if (auto checked = check(name, value); !checked) return checked;
  }
  return {};
}

}  // namespace portail
