#include "native/stores/postgres/postgres_passfile.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portail::postgres {
namespace {

std::string home() {
  if (const char* const directory = std::getenv("HOME"); directory && *directory != '\0') return directory;
  std::array<char, 4096> texts{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found);
  return found ? found->pw_dir : "";
}

}  // namespace

std::string passfile_fault(const Url& url) {
  if (!url.value("password", "PGPASSWORD", "").empty()) return {};
  const std::string configured = url.value("passfile", "PGPASSFILE", "");
  const std::string file = configured.empty() ? home() + "/.pgpass" : configured;
  const std::string prefix = "the password file " + file;
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) {
    return configured.empty() && (errno == ENOENT || errno == ENOTDIR) ? std::string()
                                                                       : prefix + ": " + std::strerror(errno);
  }
  if (!S_ISREG(status.st_mode)) return prefix + " is not a regular file";
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return prefix + " must be accessible by its owner only; run chmod 600 on it";
  if (access(file.c_str(), R_OK) != 0) return prefix + ": " + std::strerror(errno);
  return {};
}

}  // namespace portail::postgres
