#include "edge/host/log.hpp"

#include <string>

#include <unistd.h>

#include "core/base/utc_text.hpp"
#include "core/json/writer.hpp"

namespace portail::edge {

void StandardErrorLog::warn(std::string_view event, std::string_view detail) {
  std::string line = "{\"time\":\"";
  line.append(utc_text(clock_.now())).append("\",\"level\":\"warning\",\"event\":");
  append_json_string(line, event);
  line.append(",\"detail\":");
  append_json_string(line, detail);
  line.append("}\n");
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace portail::edge
