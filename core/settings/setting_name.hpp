// Finds rows of the table of settings. Constants.
#pragma once

#include <span>
#include <string_view>

#include "core/settings/table.hpp"

namespace portail {

// The row of a name, or null. For names read at run time.
constexpr const Setting* find_setting(std::string_view name) {
  for (const Setting& each : setting_table) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

// A reference to a row by its name; an unknown name does not compile.
class SettingName {
 public:
  consteval SettingName(const char* name) : row_(row_named(name, setting_table)) {}
  constexpr SettingName(const Setting& row) : row_(&row) {}
  // The same row in guest_settings, for the code of guests.
  static consteval SettingName of_guests(const char* name) { return *row_named(name, guest_settings); }

  constexpr const Setting& operator*() const { return *row_; }
  constexpr const Setting* operator->() const { return row_; }

 private:
  // Without find_setting: with -fsanitize=undefined, g++ 14 cannot compare the address of a row with null in a constant
  // expression.
  static consteval const Setting* row_named(std::string_view name, std::span<const Setting> table) {
    for (const Setting& each : table) {
      if (each.name == name) return &each;
    }
    unknown_setting_name();
    return nullptr;
  }
  static void unknown_setting_name();

  const Setting* row_;
};

}  // namespace portail
