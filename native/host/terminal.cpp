#include "native/host/terminal.hpp"

#include <algorithm>
#include <string>

#include "core/base/printable.hpp"

namespace portail {
namespace {

constexpr std::size_t column = 16;
constexpr std::string_view clear_line = "\r\033[K";

}  // namespace

void print_line(std::FILE* stream, std::string_view line) { std::fputs((printable(line) + '\n').c_str(), stream); }

void print_row(std::string_view subject, std::string_view text) {
  std::string line(subject);
  line.resize(std::max(column, subject.size()), ' ');
  print_line(stdout, line.append(" ").append(text));
}

void rewrite_line(std::string_view line) {
  std::fputs(std::string(clear_line).append(printable(line)).c_str(), stderr);
}

}  // namespace portail
