#include "native/settings/suggested_setting.hpp"

#include "core/base/nearest_name.hpp"
#include "native/settings/setting_table.hpp"

namespace portail {

std::string suggested_setting(std::string_view name) {
  NearestName nearest(name);
  for (const Setting& setting : setting_table) {
    if (setting.in_file && !setting.is_hidden) nearest.add(setting.name);
  }
  return nearest.question();
}

}  // namespace portail
