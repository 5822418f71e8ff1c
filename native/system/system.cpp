#include "native/system/system.hpp"

#include <array>

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

}  // namespace portail
