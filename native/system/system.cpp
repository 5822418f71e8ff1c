#include "native/system/system.hpp"

#include <array>
#include <cstdlib>
#include <exception>
#include <system_error>

#include <pwd.h>
#include <sodium.h>
#include <unistd.h>

#include "core/json/utf8.hpp"

namespace portail {

void SystemRandom::fill(std::span<std::byte> bytes) { randombytes_buf(bytes.data(), bytes.size()); }

std::string system_user() {
  const uid_t number = geteuid();
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  if (getpwuid_r(number, &entry, buffer.data(), buffer.size(), &found) == 0 && found) {
    if (is_valid_utf8(found->pw_name)) return found->pw_name;
  }
  return std::to_string(number);
}

std::string user_folder(const char* variable, std::string_view otherwise) {
  const char* base = std::getenv(variable);
  if (base && *base == '/') return std::string(base) + "/portail";
  const char* home = std::getenv("HOME");
  return std::string(home ? home : "").append("/").append(otherwise).append("/portail");
}

std::string describe_error(const std::exception& error) {
  const std::string what = error.what();
  const auto* const failed = dynamic_cast<const std::system_error*>(&error);
  if (failed && failed->code() == std::errc::resource_unavailable_try_again) {  // of std::thread
    return "cannot start a thread: " + what +
           ": raise the limit of threads and processes (ulimit -u; systemd: TasksMax; containers: --pids-limit), or of "
           "memory (ulimit -v)";
  }
  if (failed && failed->code() == std::errc::too_many_files_open)
    return what + ": raise the limit of open files (ulimit -n)";
  return what;
}

}  // namespace portail
