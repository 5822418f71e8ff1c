// What the operator may set of the server, as text and numbers (docs/operators.md, "Settings"). A flag beats the
// environment, which beats the configuration file. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "native/settings/fault.hpp"
#include "native/settings/key_settings.hpp"

namespace portail {

struct ServeSettings {
  std::string store;  // default: lmdb: under the user's data folder
  std::string listen = "127.0.0.1:8443";
  std::string tls_certificate;
  std::string tls_key;
  bool insecure_http = false;
  std::string issuer;
  std::vector<std::string> audiences;
  KeySettings keys;
  std::int64_t leeway = 60;
  std::string subject_claim = "sub";
  std::string tenant;
  std::string transport;  // default: direct, or loopback with insecure_http
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> allowed_origins;
  bool filter_lists = false;
  std::string import_file;
  std::string audit_keep;
  std::size_t token_cache = 10'000;
  std::size_t workers = 32;
  std::size_t max_connections = 4096;
  std::size_t max_connections_per_address = 512;
  std::int64_t drain_milliseconds = 200;
  std::string log_level = "info";
  bool no_access_log = false;
  std::string log_key;
  std::string metrics_listen;  // empty: no metrics
  std::string config;
};

// `lmdb:` and a folder beneath XDG_DATA_HOME, or beneath ~/.local/share.
std::string default_store();

// Declares the flags and their environment variables on `command`, to be parsed into `settings`, which outlives it.
void add_serve_options(CLI::App& command, ServeSettings& settings);

// The store alone, for the commands that need no more.
CLI::Option* add_store_option(CLI::App& command, std::string& store);

// How long the audit keeps its records, for the commands that prune it: "365d".
CLI::Option* add_audit_keep_option(CLI::App& command, std::string& audit_keep);
// That in days, 1 to 36500. A fault is wrong usage.
std::expected<std::int64_t, Fault> days_to_keep(const std::string& audit_keep);

}  // namespace portail
