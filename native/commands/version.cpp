#include "native/commands/version.hpp"

#include <hiredis/hiredis.h>
#include <libpq-fe.h>
#include <lmdb.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <sqlite3.h>
#include <zlib.h>
#include <zstd.h>

namespace portail {
namespace {

// hiredis says only what it was compiled with.
std::string hiredis_version() {
  return std::to_string(HIREDIS_MAJOR) + '.' + std::to_string(HIREDIS_MINOR) + '.' + std::to_string(HIREDIS_PATCH);
}

std::string libpq_version() {
  const int version = PQlibVersion();
  return std::to_string(version / 10'000) + '.' + std::to_string(version % 10'000);
}

std::string lmdb_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  mdb_version(&major, &minor, &patch);
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

}  // namespace

std::string_view program_version() { return "portail " PORTAIL_VERSION; }

BuildInfo build_info() { return {.version = PORTAIL_VERSION, .compiler = PORTAIL_COMPILER, .system = PORTAIL_SYSTEM}; }

std::string version_text() {
  return std::string(program_version()) + "\nbuilt by " PORTAIL_COMPILER " for " PORTAIL_SYSTEM "\nwith OpenSSL " +
         std::string(OpenSSL_version(OPENSSL_VERSION_STRING)) + ", libsodium " + sodium_version_string() + ", LMDB " +
         lmdb_version() + ", hiredis " + hiredis_version() + ", libpq " + libpq_version() + ", SQLite " +
         sqlite3_libversion() + ", zlib " + zlibVersion() + ", Zstandard " + ZSTD_versionString();
}

}  // namespace portail
