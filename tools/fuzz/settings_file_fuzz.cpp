// The settings file. It is accepted, or rejected with one line that repeats no value; accepted values are checked like
// any other setting.
#include <array>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "core/json/utf8.hpp"
#include "native/settings/configuration_file.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

constexpr std::string_view secret = "Xq7-a-secret-9Zk";

// A file in memory with the text of the current input.
class MemoryFile {
 public:
  MemoryFile() : number_(memfd_create("settings", MFD_CLOEXEC)) {}

  void put(std::string_view text) const {
    if (ftruncate(number_, 0) != 0 ||
        pwrite(number_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      std::abort();
    }
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

void check_fault(const Fault& fault, std::string_view text) {
  check(fault.status == ExitStatus::wrong_usage, "what the file says is wrong usage");
  check(!fault.message.contains('\n'), "a fault is one line");
  check(!fault.message.contains(secret), "a fault repeats no value");
  if (is_valid_utf8(text)) check(is_valid_utf8(fault.message), "a fault is text");
}

}  // namespace

void fuzz(std::string_view input) {
  static const MemoryFile file;
  constexpr std::array<std::string_view, 3> lines{"log-key = \"", "tls-key = \"", "\""};
  // Text before a secret may make the file invalid, but must not disclose the secret.
  std::string text(input);
  text.append("\n").append(lines[input.size() % lines.size()]).append(secret).append("\"\n");
  file.put(text);
  SettingValues values;
  if (const auto read = read_configuration_file(file.path(), values); !read) {
    check_fault(read.error(), text);
  } else if (const auto checked = values.check(); !checked) {
    check_fault(checked.error(), text);
  }
}
