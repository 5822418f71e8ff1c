#include "edge/host/log.hpp"

#include <string>

#include "core/base/printable.hpp"
#include "core/base/utc_text.hpp"
#include "core/json/writer.hpp"
#include "edge/host/standard_error.hpp"

namespace portail::edge {

void StandardErrorLog::warn(std::string_view event, std::string_view detail) {
  std::string line = "{\"time\":\"";
  line.append(utc_text(clock_.now())).append("\",\"level\":\"warning\",\"event\":");
  append_json_string(line, event);
  line.append(",\"detail\":");
  append_json_string(line, detail);
  line.append("}");
  write_standard_error(printable_json(line) + '\n');
}

}  // namespace portail::edge
