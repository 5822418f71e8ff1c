#include "native/stores/postgres/postgres_passfile.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

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

// A home of root is not foreign: images of containers have no other owner. For root, who reads all files, none is.
bool is_foreign_home(const std::string& directory) {
  struct stat status{};
  const uid_t user = geteuid();
  return user != 0 && stat(directory.c_str(), &status) == 0 && status.st_uid != user && status.st_uid != 0;
}

bool is_foreign_file(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno != ENOENT && errno != ENOTDIR;
  return status.st_uid != geteuid() && eaccess(path.c_str(), R_OK) != 0;
}

struct DefaultFile {
  const char* keyword;
  const char* variable;
  const char* path;          // in the home directory
  bool is_identity = false;  // of the home's user; other files only make connections stricter
};

}  // namespace

std::vector<const char*> foreign_files(const Url& url) {
  static constexpr std::array<DefaultFile, 5> files{{
      {.keyword = "passfile", .variable = "PGPASSFILE", .path = "/.pgpass", .is_identity = true},
      {.keyword = "sslcert", .variable = "PGSSLCERT", .path = "/.postgresql/postgresql.crt", .is_identity = true},
      {.keyword = "sslcert", .variable = "PGSSLCERT", .path = "/.postgresql/postgresql.key", .is_identity = true},
      {.keyword = "sslrootcert", .variable = "PGSSLROOTCERT", .path = "/.postgresql/root.crt"},
      {.keyword = "sslcrl", .variable = "PGSSLCRL", .path = "/.postgresql/root.crl"},
  }};
  std::vector<const char*> foreign;
  const std::string directory = home();
  const bool is_foreign = is_foreign_home(directory);
  const bool names_key = !url.value("sslkey", "PGSSLKEY", "").empty();
  for (const auto& [keyword, variable, path, is_identity] : files) {
    if (!url.value(keyword, variable, "").empty() || (names_key && keyword == std::string_view("sslcert"))) continue;
    if ((is_foreign && is_identity) || is_foreign_file(directory + path)) foreign.push_back(keyword);
  }
  return foreign;
}

std::string ignored_root_fault() {
  return "the root certificate file " + home() +
         "/.postgresql/root.crt, in HOME, is another user's and cannot be read; set sslrootcert";
}

std::string passfile_fault(const Url& url) {
  if (!url.value("password", "PGPASSWORD", "").empty()) return {};
  const std::string configured = url.value("passfile", "PGPASSFILE", "");
  const std::string file = configured.empty() ? home() + "/.pgpass" : configured;
  const std::string prefix = "the password file " + file;
  struct stat status{};
  if (configured.empty() && (is_foreign_home(home()) || is_foreign_file(file))) return {};
  if (stat(file.c_str(), &status) != 0) return configured.empty() ? "" : prefix + ": " + std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return prefix + " is not a regular file";
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return prefix + " must be accessible by its owner only; run chmod 600 on it";
  if (access(file.c_str(), R_OK) != 0) return prefix + ": " + std::strerror(errno);
  return {};
}

}  // namespace portail::postgres
