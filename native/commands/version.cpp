#include "native/commands/version.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>
#include <hiredis/hiredis.h>
#include <libpq-fe.h>
#include <lmdb.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <sqlite3.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/text.hpp"
#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// hiredis has only its compile-time version.
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

struct Library {
  std::string_view name;
  std::string version;
};

std::vector<Library> libraries() {
  return {{"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
          {"libsodium", sodium_version_string()},
          {"LMDB", lmdb_version()},
          {"hiredis", hiredis_version()},
          {"libpq", libpq_version()},
          {"SQLite", sqlite3_libversion()},
          {"libcurl", curl_version_info(CURLVERSION_NOW)->version},
          {"zlib", zlibVersion()},
          {"Zstandard", ZSTD_versionString()},
          {"simdjson", SIMDJSON_BUILT_WITH},
          {"prometheus-cpp", PROMETHEUS_BUILT_WITH},
          {"toml++", TOMLPLUSPLUS_BUILT_WITH},
          {"CLI11", CLI11_BUILT_WITH}};
}

std::string version_json() {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("version").string(PORTAIL_VERSION).name("compiler").string(PORTAIL_COMPILER);
  json.name("system").string(PORTAIL_SYSTEM).name("libraries").begin_object();
  for (const Library& library : libraries()) json.name(library.name).string(library.version);
  json.end_object().end_object();
  return text;
}

}  // namespace

std::string_view program_version() { return "portail " PORTAIL_VERSION; }

BuildInfo build_info() { return {.version = PORTAIL_VERSION, .compiler = PORTAIL_COMPILER, .system = PORTAIL_SYSTEM}; }

std::string version_text() {
  std::string text = std::string(program_version()) + "\nbuilt by " PORTAIL_COMPILER " for " PORTAIL_SYSTEM "\nwith";
  for (std::string_view before = " "; const Library& library : libraries()) {
    text.append(before).append(library.name).append(" ").append(library.version);
    before = ", ";
  }
  return text;
}

Command version_command() {
  auto json = std::make_shared<bool>(false);
  return {.name = "version",
          .help = "Print the version, the compiler and the libraries",
          .options = {{.name = "--json", .help = "One JSON object instead of lines", .field = json.get()}},
          .examples = {"portail version --json | jq .libraries"},
          .run = [json](const SettingValues&) -> std::expected<void, Fault> {
            if (*json) {
              print_json_line(version_json());
              return {};
            }
            const std::string text = version_text();
            for (std::string_view rest = text; !rest.empty();) print_line(stdout, take_until(rest, '\n'));
            return {};
          }};
}

}  // namespace portail
