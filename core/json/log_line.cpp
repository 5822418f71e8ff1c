#include "core/json/log_line.hpp"

#include "core/base/printable.hpp"
#include "core/base/utc_text.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"

namespace portail {

std::string log_line(Instant time, std::string_view level, std::string_view members) {
  std::string line;
  line.reserve(members.size() + 80);
  line.append("{\"time\":\"");
  append_utc_text(line, time);
  line.append("\",\"level\":\"").append(level).append("\"");
  append_printable_json(line, members);
  line.append("}");
  return line;
}

void append_log_string(std::string& out, std::string_view value) {
  if (is_valid_utf8(value)) return append_json_string(out, value);
  std::string ascii(value);
  for (char& c : ascii) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  append_json_string(out, ascii);
}

}  // namespace portail
