// One setting: its names, allowed values and hosts. Constants.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace portail {

enum class SettingKind : std::uint8_t {
  text,           // any text; empty means unset
  identifier,     // a text that other programs repeat, without quotes around it; empty means unset
  name,           // the same, not empty
  number,         // an integer from `min` to `max`, in `unit`
  duration,       // a number of milliseconds, seconds or days, or with its own unit: 500ms, 5s, 2min, 1h, 1d
  toggle,         // true or false
  choice,         // one of `choices`
  origin,         // core/http/cors.hpp
  address,        // an IP address and a port
  address_range,  // an IP address, or a range of them
  file,           // a file's name
  key_set,        // a key set, or its location
  store,          // the location of the data
};

struct SettingHosts {
  bool program = true;      // native/
  bool component = false;   // edge/
  bool package = false;     // wasm/
  bool management = false;  // the management interface of edge/ and wasm/
};
inline constexpr SettingHosts program_only{};
inline constexpr SettingHosts program_and_components{.component = true};
inline constexpr SettingHosts program_and_management{.package = true, .management = true};
inline constexpr SettingHosts every_host{.component = true, .package = true};

struct Setting {
  std::string_view name;           // of the flag without dashes, and in the configuration file
  std::string_view variable = {};  // in the environment, and in a guest's configuration; empty if there is none
  SettingKind kind = SettingKind::text;
  bool is_list = false;                 // values of that kind, separated by commas
  std::string_view default_value = {};  // as typed; empty if there is none, or the host chooses it
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view unit = {};
  std::array<std::string_view, 4> choices = {};  // unused entries are empty
  std::string_view allowed = {};                 // "must be …", if the kind is not sufficient
  std::string_view help = {};
  std::string_view group = {};
  SettingHosts hosts = program_only;
  bool may_be_secret = false;  // all or part of the value; never printed
  bool in_file = true;         // allowed in the configuration file
  bool is_hidden = false;      // for tests; absent from help and documents
};

// A reference to a row of a table.
class SettingRow {
 public:
  constexpr SettingRow(const Setting& row) : row_(&row) {}

  constexpr const Setting& operator*() const { return *row_; }
  constexpr const Setting* operator->() const { return row_; }

 private:
  const Setting* row_;
};

void unknown_setting_name();  // not defined: its call in a constant expression is an error

// Returns the row of that name; an unknown name does not compile. The address of a row is not compared with null, which
// g++ 14 cannot do in a constant expression with -fsanitize=undefined.
consteval SettingRow row_named(std::string_view name, std::span<const Setting> table) {
  for (const Setting& each : table) {
    if (each.name == name) return each;
  }
  unknown_setting_name();
  return table.front();
}

inline constexpr std::int64_t no_max = std::numeric_limits<std::int64_t>::max();

}  // namespace portail
