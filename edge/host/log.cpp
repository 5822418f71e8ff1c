#include "edge/host/log.hpp"

#include <string>

#include "core/json/writer.hpp"

namespace portail::edge {

void StandardErrorLog::warn(std::string_view event, std::string_view detail) {
  std::string members = ",\"event\":";
  append_log_string(members, event);
  members.append(",\"detail\":");
  append_log_string(members, detail);
  standard_error_.write(log_line(clock_.now(), "warning", members) + '\n');
}

void StandardErrorLog::record(std::string_view members) {
  standard_error_.write(log_line(clock_.now(), "info", members) + '\n');
}

}  // namespace portail::edge
