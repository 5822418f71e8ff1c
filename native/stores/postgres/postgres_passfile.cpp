#include "native/stores/postgres/postgres_passfile.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portail {
namespace {

std::string home() {
  if (const char* const named = std::getenv("HOME"); named && *named != '\0') return named;
  std::array<char, 4096> texts{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found);
  return found ? found->pw_dir : "";
}

}  // namespace

std::string fault_of_passfile(const PostgresUrl& url) {
  if (!url.value("password", "PGPASSWORD", "").empty()) return {};
  const std::string named = url.value("passfile", "PGPASSFILE", "");
  const std::string file = named.empty() ? home() + "/.pgpass" : named;
  const std::string begin = "the password file " + file;
  struct stat about{};
  if (stat(file.c_str(), &about) != 0) {
    return named.empty() && (errno == ENOENT || errno == ENOTDIR) ? std::string() : begin + ": " + std::strerror(errno);
  }
  if (!S_ISREG(about.st_mode)) return begin + " is no regular file";
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) return begin + " is open to others than its owner: chmod 600 it";
  if (access(file.c_str(), R_OK) != 0) return begin + ": " + std::strerror(errno);
  return {};
}

}  // namespace portail
