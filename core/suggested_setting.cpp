#include "core/suggested_setting.hpp"

#include "core/base/nearest_name.hpp"
#include "core/settings_table.hpp"

namespace portail {

std::string suggested_setting(std::string_view name) {
  NearestName nearest(name);
  for (const Setting& setting : setting_table) {
    if (setting.in_file && !setting.is_hidden) nearest.add(setting.name);
  }
  return nearest.question();
}

std::string suggested_variable(std::string_view name) {
  NearestName nearest(name);
  for (const Setting& setting : setting_table) nearest.add(setting.variable);
  return nearest.question();
}

std::string suggested_module_variable(std::string_view name) {
  NearestName nearest(name);
  for (const Setting& setting : guest_settings) {
    if (setting.hosts.package) nearest.add(setting.variable);
  }
  return nearest.question();
}

}  // namespace portail
